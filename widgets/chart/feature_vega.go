package chart

import "encoding/json"

func (d featurePicture) vegaLite() (json.RawMessage, error) {
	views := []any{d.vegaBars()}
	for _, p := range d.course.panels {
		views = append(views, d.course.vegaPanel(p, true))
	}
	return specification(d.title, d.subtitle, d.alt(), object{"vconcat": views, "spacing": 8, "resolve": object{"scale": object{"x": "independent", "y": "independent"}}})
}

func (d featurePicture) vegaBars() object {
	x := func(field string) object {
		return object{"field": field, "type": "quantitative", "scale": object{"domain": []float64{d.low, d.high}, "nice": false, "zero": false},
			"axis": object{"values": d.ticks, "title": "value, in the file's units", "labelExpr": shortest, "grid": false, "labelPadding": 5}}
	}
	y := object{"field": "rows", "type": "quantitative", "scale": object{"domain": []float64{d.bars.low, d.bars.high}, "nice": false},
		"axis": object{"values": d.bars.ticks, "title": nil, "labelExpr": shortest, "labelPadding": 5, "minExtent": 34}}
	layers := []any{}
	for c, counts := range d.counts {
		values := []any{}
		for b, n := range counts {
			from, to := d.bar(c, b)
			values = append(values, object{"from": tidy(from), "to": tidy(to), "rows": n, "zero": 0, "class": d.bars.lines[c].label, "low": rounded(d.edges[b]), "high": rounded(d.edges[b+1])})
		}
		layers = append(layers, object{
			"data": object{"values": values}, "mark": object{"type": "rect", "color": classColour(c).css()},
			"encoding": object{"x": x("from"), "x2": object{"field": "to"}, "y": y, "y2": object{"field": "zero"}, "tooltip": []any{
				object{"field": "class"}, object{"field": "rows"}, object{"field": "low", "title": "from"}, object{"field": "high", "title": "to"},
			}},
		})
	}
	return object{"width": plotWidth, "height": d.bars.height, "layer": append(layers, d.bars.vegaHeading()...)}
}
