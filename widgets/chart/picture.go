package chart

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Picture is one drawing in the forms that a front end may choose from. Text and Alt are always there; a form that this kind of
// picture does not have is empty.
type Picture struct {
	VegaLite json.RawMessage // a Vega-Lite v5 specification with its data inside
	PNG      []byte          // the same marks, two pixels a point, on white
	HTML     string          // tables and lines: escaped, without scripts
	Text     string          // a few lines for a terminal
	Alt      string          // one sentence that says what is to be seen

	spec     *spec.Spec
	terminal func(columns int) string // Text drawn for a terminal; nil is as it is
}

// Drawn is a chart in all its forms, without Vega-Lite where nobody could point at it. Its text is made from its marks where none is given.
func Drawn(s spec.Spec, pointed bool, text string) (p Picture, err error) {
	p = Picture{Text: text, Alt: s.Alt, spec: &s}
	if text == "" {
		p.Text = textOf(s, nameLetters)
		p.terminal = func(columns int) string { return textOf(s, min(nameLetters, max(8, columns-56))) }
	}
	if p.PNG, err = s.PNG(); err == nil && pointed {
		p.VegaLite, err = s.VegaLite()
	}
	if err != nil {
		return Picture{}, fault.Wrap(err, fault.Failed, "", "the picture cannot be written")
	}
	return p, nil
}

// SVG is the picture for a document, the same marks as the PNG's; nil where there is no PNG.
func (p Picture) SVG() []byte {
	if p.spec == nil {
		return nil
	}
	return p.spec.SVG()
}

// Note gives the picture with a line below it, in every form that a reader may see. Vega-Lite is left out: what has a note is read
// where nothing can be pointed at.
func (p Picture) Note(line string) (Picture, error) {
	line = words.Plain(line)
	text, alt := strings.TrimRight(p.Text, "\n")+"\n"+line+"\n", strings.TrimSpace(p.Alt+" "+line)
	noted := Picture{Text: text, Alt: alt}
	if p.spec != nil {
		s := *p.spec
		s.Below, s.Alt = append(slices.Clip(s.Below), line), alt
		var err error
		if noted, err = Drawn(s, false, text); err != nil {
			return Picture{}, err
		}
	}
	if p.HTML != "" {
		noted.HTML = p.HTML + `<div style="opacity:0.7">` + words.Escape(line) + "</div>"
	}
	return noted, nil
}

// The MIME types of a bundle.
const (
	MIMEVegaLite = "application/vnd.vegalite.v5+json"
	MIMEPNG      = "image/png"
	MIMEHTML     = "text/html"
	MIMEText     = "text/plain"
)

// Bundle is the picture as a Jupyter MIME bundle: the forms that are present, by MIME type. The specification is a JSON object, the
// PNG base64 text.
func (p Picture) Bundle() map[string]any {
	bundle := map[string]any{}
	if len(p.VegaLite) > 0 {
		bundle[MIMEVegaLite] = p.VegaLite
	}
	if len(p.PNG) > 0 {
		bundle[MIMEPNG] = base64.StdEncoding.EncodeToString(p.PNG)
	}
	if p.HTML != "" {
		bundle[MIMEHTML] = p.HTML
	}
	if p.Text != "" {
		bundle[MIMEText] = p.Text
	}
	return bundle
}

// Metadata is the bundle's Jupyter metadata: the size in points at which the PNG is meant to be shown (without it a front end shows
// two points for one) and its alternative text. It is empty where there is no PNG.
func (p Picture) Metadata() map[string]any {
	size, err := png.DecodeConfig(bytes.NewReader(p.PNG))
	if err != nil {
		return map[string]any{}
	}
	return map[string]any{MIMEPNG: map[string]any{
		"width": size.Width / spec.PixelsPerPoint, "height": size.Height / spec.PixelsPerPoint, "alt": p.Alt,
	}}
}
