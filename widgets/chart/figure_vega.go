package chart

import (
	"encoding/json"
	"strconv"
)

// vegaLite is the figure as a specification: a strip with the words of the events, then a view a panel, all of one width and one axis.
func (f figure) vegaLite() (json.RawMessage, error) {
	views := []any{}
	if f.lanes > 0 {
		views = append(views, f.vegaWords())
	}
	for i, p := range f.panels {
		views = append(views, f.vegaPanel(p, i == len(f.panels)-1))
	}
	if len(f.panels) == 0 {
		views = append(views, object{"width": plotWidth, "height": 1, "data": nothing(), "mark": object{"type": "point", "opacity": 0}})
	}
	return specification(f.title, f.subtitle, f.alt(), object{"vconcat": views, "spacing": 8})
}

// vegaX is the horizontal position of a field, on the figure's axis.
func (f figure) vegaX(field string, axis any) object {
	return object{"field": field, "type": "quantitative", "axis": axis, "scale": object{"domain": []float64{f.from, f.to}, "nice": false, "zero": false}}
}

func (f figure) vegaRules(labelled bool) []any {
	values := []any{}
	for _, r := range f.rules {
		if !labelled || r.label != "" {
			values = append(values, object{"at": tidy(r.at), "step": r.step, "event": r.text, "label": r.label, "lane": r.lane, "from": float64(r.lane) + 0.5, "to": float64(r.foot) - 0.5, "left": r.left})
		}
	}
	return values
}

func (f figure) vegaTips() []any {
	tips := []any{object{"field": "at", "title": f.axis, "type": "quantitative"}}
	if f.axis != "step" {
		tips = append(tips, object{"field": "step", "title": "step"})
	}
	return append(tips, object{"field": "event", "title": "event"})
}

// vegaWords is the strip of the events' words.
func (f figure) vegaWords() object {
	strip := func(field string) object {
		return object{"field": field, "type": "quantitative", "axis": nil, "scale": object{"domain": []float64{-0.5, float64(f.lanes) - 0.5}, "nice": false}}
	}
	words := func(left bool, align string, dx float64) object {
		filter := "!datum.left"
		if left {
			filter = "datum.left"
		}
		return object{
			"transform": []any{object{"filter": filter}},
			"mark":      object{"type": "text", "align": align, "baseline": "middle", "dx": dx, "fontSize": smallText},
			"encoding":  object{"x": f.vegaX("at", nil), "y": strip("lane"), "text": object{"field": "label"}, "tooltip": f.vegaTips()},
		}
	}
	return object{
		"width": plotWidth, "height": laneHeight * float64(f.lanes), "data": object{"values": f.vegaRules(true)},
		"layer": []any{
			object{"mark": f.vegaRuleMark(), "encoding": object{"x": f.vegaX("at", nil), "y": strip("from"), "y2": object{"field": "to"}}},
			words(false, "left", 4), words(true, "right", -4),
		},
	}
}

func (f figure) vegaRuleMark() object {
	return object{"type": "rule", "color": grey.css(), "strokeDash": []int{3, 3}, "strokeWidth": 1}
}

func (f figure) vegaPanel(p panel, last bool) object {
	axis := object{"values": f.ticks, "labels": last, "title": nil, "labelExpr": shortest, "grid": true, "labelOverlap": true, "labelPadding": 5, "labelFlush": false}
	if last {
		axis["title"] = f.axis
	}
	x := f.vegaX("at", axis)
	scale := object{"domain": []float64{p.low, p.high}, "nice": false}
	if p.log {
		scale["type"] = "log"
	}
	y := func(channel string, of any) object {
		return object{channel: of, "type": "quantitative", "scale": scale,
			"axis": object{"values": p.ticks, "title": nil, "labelExpr": shortest, "labelPadding": 5, "minExtent": 34}}
	}
	layers := []any{}
	if p.threshold != 0 {
		layers = append(layers, object{"data": nothing(), "mark": object{"type": "rule", "color": grey.css(), "strokeDash": []int{2, 2}, "opacity": 0.7},
			"encoding": object{"y": y("datum", p.threshold)}})
	}
	for _, l := range p.lines {
		layers = append(layers, f.vegaLine(l, x, y("field", "value")))
	}
	if len(f.rules) > 0 {
		layers = append(layers, object{"data": object{"values": f.vegaRules(false)}, "mark": f.vegaRuleMark(), "encoding": object{"x": x, "tooltip": f.vegaTips()}})
	}
	return object{"width": plotWidth, "height": p.height, "layer": append(layers, p.vegaHeading()...)}
}

// shortest writes a tick without the zeros that an axis would add.
const shortest = "format(datum.value, '~g')"

// vegaLine is a curve and its points, which are there to be pointed at.
func (f figure) vegaLine(l line, x, y object) object {
	values := make([]any, len(l.values))
	for i, v := range l.values {
		if finite(v) {
			values[i] = rounded(v)
		}
	}
	opacity := 0
	if len(l.values) <= dotted {
		opacity = 1
	}
	tips := []any{object{"field": "at", "title": f.axis, "type": "quantitative", "format": ".4~g"}}
	if f.axis != "step" {
		tips = append(tips, object{"field": "step", "title": "step"})
	}
	tips = append(tips, object{"field": "value", "type": "quantitative", "title": l.label, "format": ".4~g"})
	return object{
		"data": object{"values": []any{object{"metric": l.metric, "step": l.steps, "value": values}}},
		"transform": []any{
			object{"flatten": []string{"step", "value"}},
			object{"calculate": "datum.step / " + strconv.Itoa(int(f.perEpoch)), "as": "at"},
		},
		"mark": object{"type": "line", "color": l.colour.css(), "strokeWidth": l.width, "strokeJoin": "round",
			"point": object{"opacity": opacity, "size": 30, "filled": true, "color": l.colour.css()}},
		"encoding": object{"x": x, "y": y, "tooltip": tips},
	}
}

// vegaHeading is the line over a panel: its title and, where there are several curves, which is which. Marks of their own stay where
// they are put; a title and a legend of Vega's would push each other apart.
func (p panel) vegaHeading() []any {
	const y = -11
	words := func(text string, x, size float64, weight string) object {
		return object{"data": nothing(), "mark": object{"type": "text", "text": text, "align": "left", "baseline": "middle", "fontSize": size, "fontWeight": weight},
			"encoding": object{"x": object{"value": x}, "y": object{"value": y}}}
	}
	heading := []any{words(p.title, 0, subtitleText, "bold")}
	if len(p.lines) < 2 {
		return heading
	}
	x := p.legendAt()
	for _, l := range p.lines {
		heading = append(heading,
			object{"data": nothing(), "mark": object{"type": "rule", "color": l.colour.css(), "strokeWidth": l.width},
				"encoding": object{"x": object{"value": x}, "x2": object{"value": x + 14}, "y": object{"value": y}}},
			words(l.label, x+19, smallText, "normal"))
		x = l.legendEnd(x)
	}
	return heading
}

// nothing is one record without fields.
func nothing() object { return object{"values": []any{object{}}} }
