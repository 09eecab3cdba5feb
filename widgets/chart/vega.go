package chart

import (
	"encoding/json"
	"math"
	"strconv"

	"fsnetlab/fsnet/fault"
)

// object is a JSON object of a specification.
type object = map[string]any

// vegaFonts have the widths of the PNG's letters.
const vegaFonts = "Liberation Sans, Arial, Helvetica, sans-serif"

// specification is a whole Vega-Lite v5 specification: a body of views under a heading, transparent, in grey that reads on light and dark.
func specification(title string, subtitle []string, description string, body object) (json.RawMessage, error) {
	text := grey.css()
	spec := object{
		"$schema":     "https://vega.github.io/schema/vega-lite/v5.json",
		"description": description,
		"background":  "transparent",
		"padding":     margin,
		"title": object{"text": title, "subtitle": subtitle, "anchor": "start", "offset": 12, "fontSize": titleText, "subtitleFontSize": subtitleText,
			"subtitlePadding": 5, "subtitleLineHeight": 15},
		"config": object{
			"font":   vegaFonts,
			"view":   object{"stroke": nil},
			"title":  object{"color": text, "subtitleColor": text},
			"axis":   object{"labelColor": text, "titleColor": text, "titleFontWeight": "normal", "titleFontSize": smallText, "labelFontSize": smallText, "domain": false, "ticks": false, "gridColor": text, "gridOpacity": 0.15},
			"legend": object{"labelColor": text, "titleColor": text, "titleFontWeight": "normal", "titleFontSize": smallText, "labelFontSize": smallText, "labelLimit": 0},
			"text":   object{"color": text},
		},
		// lines of text stay sharp, and nothing of the menu leads to a network
		"usermeta": object{"embedOptions": object{"renderer": "svg", "actions": object{"export": true, "source": false, "compiled": false, "editor": false}}},
	}
	for key, value := range body {
		spec[key] = value
	}
	b, err := json.Marshal(spec)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "", "the picture cannot be written as Vega-Lite")
	}
	return b, nil
}

// small is the title of a view that is a part.
func small(text string) object {
	return object{"text": text, "anchor": "start", "fontSize": smallText, "fontWeight": "normal", "offset": 6}
}

// rounded keeps four significant digits: what a reader can use, in a third of the bytes.
func rounded(v float64) float64 {
	if v == 0 || !finite(v) {
		return v
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return r
}
