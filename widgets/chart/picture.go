package chart

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/widgets/chart/scene"
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

	scene    *scene.Scene                          // what VegaLite and PNG are written from
	terminal func(columns int, colour bool) string // Text drawn for a terminal; nil is as it is
}

// Drawn is a scene as a PNG and, where a reader may point at it, as Vega-Lite.
func Drawn(s *scene.Scene, pointed bool, text, alt string) (p Picture, err error) {
	p = Picture{Text: text, Alt: alt, scene: s}
	if p.PNG, err = s.PNG(); err == nil && pointed {
		p.VegaLite, err = s.VegaLite(alt)
	}
	if err != nil {
		return Picture{}, fault.Wrap(err, fault.Failed, "", "the picture cannot be written")
	}
	return p, nil
}

// SVG is the picture for a document, the same marks as the PNG's; nil where there is no PNG.
func (p Picture) SVG() []byte {
	if p.scene == nil {
		return nil
	}
	return p.scene.SVG(p.Alt)
}

// noteHeight is that of the strip below a picture that a note takes, in points.
const noteHeight = 22.0

// Note gives the picture with a line below it, in every form that a reader may see. Vega-Lite is left out: what has a note is read
// where nothing can be pointed at.
func (p Picture) Note(line string) (Picture, error) {
	line = words.Plain(line)
	text, alt := strings.TrimRight(p.Text, "\n")+"\n"+line+"\n", strings.TrimSpace(p.Alt+" "+line)
	noted := Picture{Text: text, Alt: alt}
	if p.scene != nil {
		s := *p.scene
		s.Height += noteHeight
		s.Widen(scene.Margin + scene.TextWidth(line, scene.SubtitleText, false))
		s.Marks = slices.Clip(s.Marks) // what is added is not added to the picture itself
		s.Text(scene.Margin, s.Height-8, line, scene.Lettering{Size: scene.SubtitleText, Colour: scene.Soft})
		var err error
		if noted, err = Drawn(&s, false, text, alt); err != nil {
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
		"width": size.Width / scene.PixelsPerPoint, "height": size.Height / scene.PixelsPerPoint, "alt": p.Alt,
	}}
}
