package chart

import (
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Picture is one drawing in several forms, each rendered on demand. Text and
// Alt are always present. A form that a picture doesn't have is empty.
type Picture struct {
	HTML string // tables and lines: escaped, without scripts
	Text string // a few lines for a terminal
	Alt  string // one sentence that describes the picture

	spec     *spec.Spec               // nil for a picture that is only words
	pointed  bool                     // whether it has a Vega-Lite specification
	terminal func(columns int) string // Text for a terminal; nil uses Text
}

// Below returns a picture of words below a line.
func (p Picture) Below(line string) Picture {
	line = words.Plain(line)
	within := p.terminal
	p.HTML = "<p><b>" + words.Escape(line) + "</b></p>" + p.HTML
	p.Text, p.Alt = line+"\n\n"+p.Text, line+". "+p.Alt
	if within != nil {
		p.terminal = func(columns int) string { return words.Wrap(line, columns) + "\n\n" + within(columns) }
	}
	return p
}

// Drawn reports whether the picture is more than words, so that it has a PNG
// and an SVG.
func (p Picture) Drawn() bool { return p.spec != nil }

// VegaLite returns a Vega-Lite v5 specification with its data inside. It
// returns nil if the picture has none, or contains a value that JSON can't
// represent.
func (p Picture) VegaLite() json.RawMessage {
	if p.spec == nil || !p.pointed {
		return nil
	}
	text, err := p.spec.VegaLite()
	if err != nil { // a value that JSON can't represent; the other forms show it
		return nil
	}
	return text
}

// PNG returns the picture on white, with two pixels per point. It returns nil
// for a picture that is only words.
func (p Picture) PNG() []byte {
	if p.spec == nil {
		return nil
	}
	content, err := p.spec.PNG()
	if err != nil {
		return nil
	}
	return content
}

// Limits for the letters of a name in a text, depending on the room.
const (
	nameLetters  = 32
	wideLetters  = 40
	leastLetters = 8
)

// draw returns a chart in all its forms. Without pointed it has no Vega-Lite,
// because readers can't point at it. text writes the chart with names of at
// most so many letters, and letters is the most it is called with. If text is
// nil, the text is derived from the marks.
func draw(s spec.Spec, pointed bool, letters int, text func(letters int) string) Picture {
	if text == nil {
		letters, text = nameLetters, func(letters int) string { return textOf(s, letters) }
	}
	return Picture{Text: text(letters), Alt: s.Alt, spec: &s, pointed: pointed, terminal: fitted(letters, text)}
}

// fitted returns a function that writes the text for a terminal with the
// longest names whose lines fit. Names have at most most letters. It doesn't
// wrap lines that are too long even with the shortest names.
func fitted(most int, text func(letters int) string) func(columns int) string {
	return func(columns int) string {
		tooLong := func(text string) (n int) {
			for line := range strings.Lines(text) {
				if words.Width(strings.TrimRight(line, "\n")) > columns {
					n++
				}
			}
			return n
		}
		least := text(leastLetters)
		for letters := most; letters > leastLetters; letters -= 2 {
			if t := text(letters); tooLong(t) <= tooLong(least) {
				return t
			}
		}
		return least
	}
}

// fixed returns a text that doesn't depend on the room for names.
func fixed(text string) func(int) string { return func(int) string { return text } }

// Terminal returns the picture for a terminal of so many columns. It shortens
// names if a table is too wide, and breaks other lines between words.
func (p Picture) Terminal(columns int) string {
	const narrowest = 24 // the least width that a terminal may have
	columns = max(columns, narrowest)

	text := p.Text
	if p.terminal != nil {
		text = p.terminal(columns)
	}
	return words.Wrap(text, columns)
}

// WithTerminal returns the picture with a separate text for terminals, which
// Terminal wraps.
func (p Picture) WithTerminal(text string) Picture {
	p.terminal = fixed(text)
	return p
}

// SVG returns the picture for a document, with the marks of the PNG. It returns
// nil if there is no PNG.
func (p Picture) SVG() []byte {
	if p.spec == nil {
		return nil
	}
	return p.spec.SVG()
}

// Fit returns the picture for a page of so many points, with letters of the
// same size. It drops Vega-Lite.
func (p Picture) Fit(width int) Picture {
	if p.spec != nil {
		p.spec, p.pointed = new(p.spec.Fit(float64(width))), false
	}
	return p
}

// Note returns the picture with a line below it, in every form that a reader
// may see. It drops Vega-Lite, because pictures with a note are read where you
// can't point at them.
func (p Picture) Note(line string) Picture {
	line = words.Plain(line)
	text, alt := strings.TrimRight(p.Text, "\n")+"\n"+line+"\n", strings.TrimSpace(p.Alt+" "+line)
	noted := Picture{Text: text, Alt: alt}

	if p.spec != nil {
		s := *p.spec
		s.Below, s.Alt = append(slices.Clip(s.Below), line), alt
		noted = draw(s, false, 0, fixed(text))
	}

	if p.HTML != "" {
		noted.HTML = p.HTML + `<div style="opacity:0.7">` + words.Escape(line) + "</div>"
	}
	return noted
}

// MIME types of a bundle.
const (
	MIMEVegaLite = "application/vnd.vegalite.v5+json"
	MIMEPNG      = "image/png"
	MIMEHTML     = "text/html"
	MIMEText     = "text/plain"
)

// Bundle returns the forms that the picture has as a Jupyter MIME bundle. The
// specification is a JSON object, and the PNG is base64 text. The bundle has no
// SVG.
func (p Picture) Bundle() map[string]any {
	bundle := map[string]any{}

	if specification := p.VegaLite(); specification != nil {
		bundle[MIMEVegaLite] = specification
	}
	if image := p.PNG(); image != nil {
		bundle[MIMEPNG] = base64.StdEncoding.EncodeToString(image)
	}

	if p.HTML != "" {
		bundle[MIMEHTML] = words.Untypeset(p.HTML)
	}

	if p.Text != "" {
		bundle[MIMEText] = p.Text
	}

	return bundle
}

// pageStyle shrinks a chart to the page, because Vega's style doesn't, and
// places its menu. On a page as narrow as a phone's, letters would be too small
// to read, so there the chart keeps its size and scrolls.
const pageStyle = `.vega-embed{position:relative;display:inline-block;box-sizing:border-box;max-width:100%;padding-right:26px}
.vega-embed>svg,.vega-embed .chart-wrapper svg{max-width:100%;height:auto}
@media (max-width:500px){.vega-embed{overflow-x:auto}.vega-embed>svg,.vega-embed .chart-wrapper svg{max-width:none}}
.vega-embed details:not([open])>:not(summary){display:none!important}
.vega-embed summary{list-style:none;position:absolute;top:0;right:0;padding:6px;opacity:.4;cursor:pointer;line-height:0}
.vega-embed summary svg{width:14px;height:14px}.vega-embed summary:is(:hover,:focus){opacity:1}
.vega-embed .vega-actions{position:absolute;z-index:1001;top:26px;right:0;padding:4px 0;background:#fff;border:1px solid #bbb}
.vega-embed .vega-actions a{display:block;padding:4px 12px;font:13px sans-serif;white-space:nowrap;color:#222;text-decoration:none}`

// Metadata returns the Jupyter metadata of Bundle: the size at which to show
// the PNG in points, its alternative text, and the style for JupyterLab's Vega.
// Without the size, a front end shows two points for one. It is empty if there
// is no PNG.
func (p Picture) Metadata() map[string]any {
	metadata := map[string]any{}
	if p.spec != nil {
		width, height := p.spec.Size()
		metadata[MIMEPNG] = map[string]any{"width": width, "height": height, "alt": p.Alt}
	}
	if p.spec != nil && p.pointed {
		metadata[MIMEVegaLite] = map[string]any{"embed_options": map[string]any{"defaultStyle": pageStyle}}
	}
	return metadata
}

// Forms lists the extensions of files in which you can save a picture.
func Forms() string { return ".png, .svg, .html, .json (Vega-Lite) or .txt" }

// CheckForm rejects a file name with any other extension. The error is of kind
// Request.
func CheckForm(file string) error {
	if slices.Contains([]string{".png", ".svg", ".html", ".json", ".txt"}, strings.ToLower(filepath.Ext(file))) {
		return nil
	}
	return errs.New(errs.Request, "end its name in "+Forms(), "%s does not say which form the picture should have", file)
}

// As returns the picture in the form that a file's name asks for. The error is
// of kind Request if the extension isn't one of [Forms], or if the picture
// doesn't have that form.
func (p Picture) As(file string) ([]byte, error) {
	if err := CheckForm(file); err != nil {
		return nil, err
	}

	var others []string
	ending := filepath.Ext(file)
	for _, form := range []struct {
		ending string
		has    bool
		write  func() []byte
	}{
		{".png", p.Drawn(), p.PNG}, {".svg", p.Drawn(), p.SVG},
		{".html", p.HTML != "", func() []byte { return []byte(p.HTML) }},
		{".json", p.Drawn() && p.pointed, func() []byte { return p.VegaLite() }},
		{".txt", p.Text != "", func() []byte { return []byte(p.Text) }},
	} {
		if form.has && strings.EqualFold(form.ending, ending) {
			return form.write(), nil
		}
		if form.has {
			others = append(others, form.ending)
		}
	}

	return nil, errs.New(errs.Request, "choose "+strings.Join(others, " or "), "this picture has no %s form", ending)
}
