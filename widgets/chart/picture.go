package chart

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
)

// Picture is one drawing in the forms that a front end may choose from. Text and Alt are always there; a form that this kind of
// picture does not have is empty.
type Picture struct {
	VegaLite json.RawMessage // a Vega-Lite v5 specification with its data inside
	PNG      []byte          // the same marks, two pixels a point, on white
	HTML     string          // tables and lines: escaped, without scripts
	Text     string          // a few lines for a terminal
	Alt      string          // one sentence that says what is to be seen

	terminal func(columns int, colour bool) string // Text drawn for a terminal; nil is as it is
}

// The MIME types of a bundle.
const (
	MIMEVegaLite = "application/vnd.vegalite.v5+json"
	MIMEPNG      = "image/png"
	MIMEHTML     = "text/html"
	MIMEText     = "text/plain"
)

// pixelsPerPoint is the resolution of a PNG: crisp on screens of high density.
const pixelsPerPoint = 2

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
		"width": size.Width / pixelsPerPoint, "height": size.Height / pixelsPerPoint, "alt": p.Alt,
	}}
}
