package scene

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// object is a JSON object of a specification.
type object = map[string]any

// sansSerif are fonts whose letters are as wide as the PNG's, or nearly: where Vega writes, nothing else keeps words in their places.
const sansSerif = "Liberation Sans, Arimo, Arial, Helvetica, Nimbus Sans, FreeSans, DejaVu Sans Condensed, sans-serif"

// VegaLite is the scene as a Vega-Lite v5 specification, for the sake of what its marks have to say: JupyterLab shows an SVG as an image,
// at which a reader cannot point, but draws Vega-Lite itself. The places of the marks are data without a scale.
func (s *Scene) VegaLite(description string) (json.RawMessage, error) {
	v := vega{at: map[string]int{}}
	for _, m := range s.Marks {
		v.add(m)
	}
	position := func(field string) object {
		return object{"field": field, "type": "quantitative", "scale": nil, "axis": nil}
	}
	return json.Marshal(object{
		"$schema":     "https://vega.github.io/schema/vega-lite/v5.json",
		"description": description,
		"background":  "transparent",
		"width":       math.Ceil(s.Width), "height": math.Ceil(s.Height), "padding": 0, "autosize": "none",
		"encoding": object{"x": position("x"), "y": position("y")},
		"layer":    v.layers, "resolve": object{"scale": object{"color": "independent"}},
		"config": object{"font": sansSerif, "view": object{"stroke": nil}},
		// lines of text stay sharp, and nothing of the menu leads to a network
		"usermeta": object{"embedOptions": object{"renderer": "svg",
			"actions": object{"export": true, "source": false, "compiled": false, "editor": false}}},
	})
}

// vega gathers the layers of a specification: marks that look alike are records of one.
type vega struct {
	layers []object
	at     map[string]int // layers by how their marks look
}

func (v *vega) add(mark any) {
	switch m := mark.(type) {
	case Rect:
		v.join(object{"type": "rect"}, m.Facts, object{"x": coordinate(m.X), "x2": coordinate(m.X + m.W), "y": coordinate(m.Y),
			"y2": coordinate(m.Y + m.H), "colour": m.Colour.Themed()})
	case Stroke:
		look := object{"color": m.Colour.Themed(), "strokeWidth": m.Width}
		if m.Dash > 0 {
			look["strokeDash"] = []float64{m.Dash, m.Dash}
		}
		if m.Faded {
			look["strokeOpacity"] = fadedOpacity
		}
		if len(m.Points) > 2 || len(m.Facts) > 0 && len(m.Facts[0].Values) > 1 {
			v.course(m, look)
			return
		}
		look["type"] = "rule"
		from, to := m.Points[0], m.Points[1]
		v.join(look, m.Facts, object{"x": coordinate(from[0]), "x2": coordinate(to[0]), "y": coordinate(from[1]), "y2": coordinate(to[1])})
	case Dot:
		look := object{"type": "point", "filled": true, "opacity": 1, "size": 4 * m.Radius * m.Radius}
		v.join(look, m.Facts, object{"x": coordinate(m.X), "y": coordinate(m.Y), "colour": m.Colour.Themed()})
	case Label:
		look := object{"type": "text", "align": [3]string{"left", "center", "right"}[int(2*m.H)], "baseline": "alphabetic", "fontSize": m.Size,
			"angle": coordinate(-m.Angle), "dy": coordinate(m.V * CapHeight * m.Size)}
		if m.Bold {
			look["fontWeight"] = "bold"
		}
		v.join(look, nil, object{"x": coordinate(m.X), "y": coordinate(m.Y), "text": m.Text, "colour": m.Colour.Themed()})
	case Grid:
		v.layers = append(v.layers, m.vega())
	case Sheet:
		v.layers = append(v.layers, m.vega())
	}
}

// join adds a mark to the layer of those that look alike.
func (v *vega) join(look object, facts []Fact, record object) {
	tooltip := tooltips(facts)
	key := fmt.Sprint(look, tooltip)
	at, ok := v.at[key]
	if !ok {
		encoding := object{}
		for _, channel := range []string{"x2", "y2", "text"} {
			if record[channel] != nil {
				encoding[channel] = object{"field": channel}
			}
		}
		if record["colour"] != nil {
			encoding["color"] = object{"field": "colour", "type": "nominal", "scale": nil}
		}
		if len(tooltip) > 0 {
			encoding["tooltip"] = tooltip
		}
		at = len(v.layers)
		v.at[key] = at
		v.layers = append(v.layers, object{"mark": look, "encoding": encoding, "data": object{"values": []object{}}})
	}
	for i, f := range facts {
		record[tooltip[i]["field"].(string)] = f.Values[0]
	}
	data := v.layers[at]["data"].(object)
	data["values"] = append(data["values"].([]object), record)
}

// course is a line, as one record of arrays, and points that nobody sees, to be pointed at.
func (v *vega) course(m Stroke, look object) {
	look["type"], look["strokeJoin"], look["order"] = "line", "round", false
	var x, y []float64
	for _, q := range m.Points {
		x, y = append(x, coordinate(q[0])), append(y, coordinate(q[1]))
	}
	record, fields, tooltip := object{"x": x, "y": y}, []string{"x", "y"}, tooltips(m.Facts)
	for i, f := range m.Facts {
		name := tooltip[i]["field"].(string)
		record[name], fields = f.Values, append(fields, name)
	}
	parts := []object{{"mark": look}}
	if len(m.Facts) > 0 {
		parts = append(parts, object{"mark": object{"type": "point", "opacity": 0, "filled": true, "size": 40},
			"encoding": object{"tooltip": tooltip}})
	}
	v.layers = append(v.layers, object{"layer": parts, "data": object{"values": []object{record}}, "transform": []object{{"flatten": fields}}})
}

// tooltips show facts; their fields are numbered, since a name may hold what Vega takes for a path.
func tooltips(facts []Fact) []object {
	list := make([]object, len(facts))
	for i, f := range facts {
		list[i] = object{"field": "fact" + strconv.Itoa(i), "title": f.Name}
	}
	return list
}

// coordinate keeps hundredths of a point.
func coordinate(v float64) float64 { return math.Round(100*v)/100 + 0 } // -0 becomes 0

// Rounded keeps three significant digits, and what is whole: what words.Number writes, in a third of the bytes.
func Rounded(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	if math.Abs(v) >= 999.5 {
		return math.Round(v)
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return r
}
