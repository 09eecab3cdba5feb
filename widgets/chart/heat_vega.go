package chart

import (
	"encoding/json"
)

// vegaLite is the heat map as a specification: the cells (one record a column, flattened into cells where it is drawn), bars for the mass
// in other features, and the leaders, side by side.
func (d heat) vegaLite() (json.RawMessage, error) {
	views := []any{d.vegaCells()}
	if d.leftOut {
		views = append(views, d.vegaOthers())
	}
	views = append(views, d.vegaLeaders())
	return specification(d.title, d.subtitle, d.alt(), object{"hconcat": views, "spacing": 12})
}

func (d heat) vegaCells() object {
	labels := []string{}
	for _, c := range d.columns {
		if c.labelled {
			labels = append(labels, c.label)
		}
	}
	stops := viridis()
	domain, colours := make([]float64, len(stops)), make([]string, len(stops))
	for i := range stops {
		at := float64(i) / float64(len(stops)-1)
		domain[i], colours[i] = rounded(heatAt(at)), viridisAt(at).css()
	}
	return object{
		"width": d.width(), "height": d.height(),
		"data":      object{"values": d.vegaColumns()},
		"transform": []any{object{"flatten": []string{"selector", "value"}}},
		"mark":      object{"type": "rect", "tooltip": true},
		"encoding": object{
			"x": object{"field": "label", "type": "nominal", "sort": nil, "title": nil,
				"scale": object{"paddingInner": gap(d.columnWidth) / d.columnWidth, "paddingOuter": 0, "align": 0},
				"axis":  object{"values": labels, "labelAngle": -labelAngle, "labelBaseline": "middle", "labelOverlap": false, "labelLimit": 0, "labelPadding": 5}},
			"y": d.vegaRows(object{"title": rowHeading, "titlePadding": 8, "labelPadding": 5, "labelFontSize": d.rowText(), "labelOverlap": false}),
			"color": object{"field": "value", "type": "quantitative", "title": d.legend(),
				"scale": object{"type": "log", "domain": domain, "range": colours, "interpolate": "rgb", "clamp": true},
				"legend": object{"orient": "top", "direction": "horizontal", "gradientLength": legendWidth, "gradientThickness": legendHeight,
					"values": legendTicks(), "format": "~g", "titleOrient": "right", "titlePadding": 8, "titleLimit": 0, "labelOverlap": false, "offset": 10}},
			"tooltip": []any{
				object{"field": "feature", "title": "feature"},
				object{"field": "column", "title": "column"},
				object{"field": "selector", "title": "selector"},
				object{"field": "value", "type": "quantitative", "title": d.quantity, "format": ".3~g"},
			},
		},
	}
}

// vegaColumns is the data of the cells: a record a column with its values by row.
func (d heat) vegaColumns() []any {
	selectors := make([]int, len(d.rows))
	for i, r := range d.rows {
		selectors[i] = r.selector
	}
	records := make([]any, len(d.columns))
	for j, c := range d.columns {
		values := make([]float64, len(d.rows))
		for i := range d.rows {
			values[i] = rounded(d.values[i][j])
		}
		records[j] = object{"feature": c.name, "label": c.label, "column": c.index, "selector": selectors, "value": values}
	}
	return records
}

// vegaRows is the vertical position of a row, the same in all views.
func (d heat) vegaRows(axis any) object {
	return object{"field": "selector", "type": "nominal", "sort": nil, "axis": axis,
		"scale": object{"type": "band", "paddingInner": gap(d.rowHeight) / d.rowHeight, "paddingOuter": 0, "align": 0}}
}

// vegaOthers is a bar a row on a track from 0 to 1.
func (d heat) vegaOthers() object {
	values := make([]any, len(d.rows))
	for i, r := range d.rows {
		values[i] = object{"selector": r.selector, "others": rounded(r.leftOut)}
	}
	bar := func(x any, opacity float64) object {
		return object{
			"mark": object{"type": "bar", "height": d.rowHeight / 2, "color": grey.css(), "opacity": opacity, "tooltip": true},
			"encoding": object{
				"x": x, "x2": object{"datum": 0},
				"y":       d.vegaRows(nil),
				"tooltip": []any{object{"field": "selector", "title": "selector"}, object{"field": "others", "title": "mass in all other features", "type": "quantitative", "format": ".3~g"}},
			},
		}
	}
	scale := object{"domain": []int{0, 1}}
	return object{
		"title": small(othersHeading), "width": othersWidth, "height": d.height(), "data": object{"values": values},
		"layer": []any{
			bar(object{"datum": 1, "type": "quantitative", "scale": scale, "axis": nil}, 0.2),
			bar(object{"field": "others", "type": "quantitative", "scale": scale, "axis": nil}, 0.6),
		},
	}
}

// vegaLeaders is the best feature of each row and its value, as text.
func (d heat) vegaLeaders() object {
	values := make([]any, len(d.rows))
	longest := 0.0
	for i, r := range d.rows {
		c := d.leader(r)
		values[i] = object{"selector": r.selector, "feature": c.name, "label": c.label, "best": chance(r.best), "value": rounded(r.best)}
		longest = max(longest, textWidth(c.label, d.rowText(), false))
	}
	column := func(field string, x float64) object {
		return object{
			"mark": object{"type": "text", "align": "left", "baseline": "middle", "fontSize": d.rowText(), "x": x, "tooltip": true},
			"encoding": object{
				"y": d.vegaRows(nil), "text": object{"field": field},
				"tooltip": []any{object{"field": "feature", "title": "feature"}, object{"field": "selector", "title": "selector"},
					object{"field": "value", "title": d.quantity, "type": "quantitative", "format": ".3~g"}},
			},
		}
	}
	return object{
		"title": small(leaderHeading), "width": leaderIndent + longest, "height": d.height(), "data": object{"values": values},
		"layer": []any{column("best", 0), column("label", leaderIndent)},
	}
}
