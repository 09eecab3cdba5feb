package chart

import (
	"encoding/base64"
	"encoding/json"
)

// Picture is one drawing in the forms that a front end may choose from. Text and Alt are always there; a form that this kind of
// picture does not have is empty.
type Picture struct {
	VegaLite json.RawMessage // a Vega-Lite v5 specification with its data inside
	PNG      []byte          // the same marks, for front ends without Vega and for notebooks that are reopened
	HTML     string          // tables and lines: escaped, without scripts
	Text     string          // a few lines for a terminal
	Alt      string          // one sentence that says what is to be seen
}

// The MIME types of a bundle.
const (
	MIMEVegaLite = "application/vnd.vegalite.v5+json"
	MIMEPNG      = "image/png"
	MIMEHTML     = "text/html"
	MIMEText     = "text/plain"
)

// Bundle is the picture as a Jupyter MIME bundle: the forms that are present, by MIME type. The specification is an object, the PNG is
// base64 text.
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
