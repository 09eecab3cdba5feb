package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"fsnetlab/widgets/chart/words"
)

// object is a JSON object of a specification.
type object = map[string]any

// VegaLite renders the chart as a Vega-Lite v5 specification with its data
// inside. Vega lays out axes and legends. Readers can drag, zoom with Ctrl or ⌘
// and the wheel, click a series in the legend to show only that series, and
// point at marks.
func (s Spec) VegaLite() (json.RawMessage, error) {
	s = s.prepare()
	all := slices.Concat(s.Rows...)

	var rows []object
	number := 0
	for _, row := range s.Rows {
		var panels []object
		for _, p := range row {
			legend := slices.IndexFunc(all, func(o Panel) bool { return o.chooses() && slices.Equal(o.Series, p.Series) })
			panels = append(panels, p.vega(number, legend, s.Linked))
			number++
			if g := p.grid(); g != nil && !p.NoLegend {
				panels = append(panels, p.scaleBar(*g))
			}
		}

		if len(panels) == 1 { // only single panels can share an axis
			rows = append(rows, panels[0])
		} else {
			rows = append(rows, object{"hconcat": panels})
		}
	}

	resolve := object{"color": "independent", "shape": "independent", "strokeDash": "independent", "opacity": "independent", "strokeOpacity": "independent"}
	if s.Linked {
		resolve["x"] = "shared"
	}
	if s.Beside != nil {
		linked := object{"vconcat": rows, "spacing": panelGap, "resolve": object{"scale": resolve}}
		rows, resolve = []object{{"hconcat": []object{linked, s.Beside.vega(number, -1, false)}}}, maps.Clone(resolve)
		delete(resolve, "x")
	}
	chart := object{
		"$schema":     "https://vega.github.io/schema/vega-lite/v5.json",
		"description": s.Alt,
		"background":  "transparent",
		"title": object{"text": words.Plain(s.Title), "subtitle": s.Subtitle, "anchor": "start", "frame": "bounds",
			"fontSize": titleText, "subtitleFontSize": subtitleText, "subtitlePadding": 4, "offset": 12},
		"vconcat": rows, "spacing": panelGap, "resolve": object{"scale": resolve},
		"config": object{
			"font": sansSerif, "view": object{"stroke": nil}, "concat": object{"spacing": panelGap},
			"title": object{"color": Grey.CSS(), "subtitleColor": Grey.CSS()},
			"axis": object{"labelColor": Grey.CSS(), "titleColor": Grey.CSS(), "titleFontWeight": "normal", "gridColor": Faint.themed(),
				"domain": false, "ticks": false, "labelFontSize": smallText, "titleFontSize": smallText, "labelPadding": 5},
			"legend": object{"labelColor": Grey.CSS(), "titleColor": Grey.CSS(), "labelLimit": 0, "titleLimit": 0},
		},
		// Lines of text stay sharp, and no entry of the menu leads to a
		// network.
		"usermeta": object{"embedOptions": object{"renderer": "svg",
			"actions": object{"export": true, "source": false, "compiled": false, "editor": false}}},
	}

	if len(s.Below) > 0 {
		chart["vconcat"] = append(rows, object{"data": object{"values": []object{{}}}, "width": all[0].Width, "height": headingLine*float64(len(s.Below)) + 6,
			"mark": object{"type": "text", "text": s.Below, "align": "left", "x": 0, "y": subtitleText, "color": Grey.CSS(),
				"fontSize": subtitleText, "lineHeight": headingLine, "clip": false}})
	}

	return json.Marshal(chart)
}

// chooses reports whether a click in the panel, or in its legend, shows only
// one series.
func (p Panel) chooses() bool { return p.hasLegend() || p.Named }

// vega returns the panel as a layered view. number distinguishes the names of
// its parameters. legend is the panel that chooses among its series, or
// negative.
func (p Panel) vega(number, legend int, linked bool) object {
	var layers []object
	zoom, chosen := object(nil), ""

	var continuous []string
	for _, axis := range []struct {
		name  string
		scale Axis
	}{{"x", p.X}, {"y", p.Y}} {
		if axis.scale.Bands == nil && !axis.scale.Hidden {
			continuous = append(continuous, axis.name)
		}
	}

	name := fmt.Sprintf("zoom%d", number)
	if linked { // the same name for all panels, so that they zoom together
		continuous, name = []string{"x"}, "zoom"
	}

	if len(continuous) > 0 {
		zoom = object{"name": name, "bind": "scales",
			"select": object{"type": "interval", "encodings": continuous, "zoom": "wheel![event.ctrlKey || event.metaKey]"}}
	}

	if p.chooses() {
		legend = number
	}

	if legend >= 0 {
		chosen = fmt.Sprintf("series%d", legend)
	}

	named := false
	for _, l := range p.Layers {
		if len(l.Data) == 0 && l.Grid == nil {
			continue
		}

		layer := p.layer(l, chosen, !named)
		var params []object
		if zoom != nil && encodes(layer, continuous) {
			params, zoom = append(params, zoom), nil
		}

		if p.chooses() && !named && l.series() && l.fills() {
			choice := object{"name": chosen, "select": object{"type": "point", "fields": []string{"series"}}, "bind": "legend"}
			if p.Named {
				delete(choice, "bind")
				choice["select"].(object)["on"] = "click[event.item && event.item.datum && event.item.datum.series]"
			}
			params, named = append(params, choice), true
		}

		if params != nil {
			layer["params"] = params
		}
		layers = append(layers, layer)
	}

	if layers == nil { // without a layer, a view doesn't draw its axes
		layers = append(layers, p.layer(Layer{Mark: Point, Data: []Datum{}}, "", false))
	}

	view := object{"width": p.Width, "height": p.Height, "layer": layers, "resolve": object{"scale": object{"color": "independent", "shape": "independent", "strokeDash": "independent"}}}
	if p.Title != "" {
		view["title"] = object{"text": words.Plain(p.Title), "anchor": "start", "frame": "group", "fontSize": subtitleText}
	}
	return view
}

// encodes reports whether positions of a layer's marks come from its data on
// all of these axes. A rule along an axis has no position on it.
func encodes(layer object, axes []string) bool {
	return !slices.ContainsFunc(axes, func(axis string) bool {
		position, _ := layer["encoding"].(object)[axis].(object)
		return position["field"] == nil
	})
}

// vega returns the encoding of a position. field is "x" or "y", and length is
// the axis in points.
func (a Axis) vega(field string, length float64) object {
	axis := object{"title": nil, "labelLimit": 240, "tickCount": max(2, int(length/50)), "labelOverlap": true}
	if a.Title != "" {
		axis["title"] = words.Plain(a.Title)
	}

	if field == "y" {
		axis["tickCount"] = min(8, max(2, int(length/25)))
	}

	if a.Whole {
		axis["tickMinStep"], axis["format"] = 1, "d"
	}

	scale, kind := object{"domain": []float64{a.Low, a.High}, "nice": false}, "quantitative"
	if a.Log {
		scale["type"] = "log"
		axis["values"] = logTicks(a.Low, a.High, axis["tickCount"].(int))
	} else {
		scale["zero"] = false
	}

	if a.Bands != nil {
		kind, scale = "nominal", object{"domain": a.Bands, "paddingInner": 0, "paddingOuter": 0, "type": "band"}
		delete(axis, "tickCount")
		axis["labelOverlap"] = false
		if field == "x" {
			axis["labelAngle"] = 0
			if slanted(a.ticks(length, false), length) {
				axis["labelAngle"] = -70
			}
		}
	}

	encoding := object{"field": field, "type": kind, "scale": scale, "axis": axis}
	if a.Bands != nil {
		encoding["sort"] = nil
	}

	if a.Silent {
		axis["labels"] = false
	}
	if a.Hidden {
		encoding["axis"] = nil
	}
	return encoding
}

// datum returns a position as data contain it: the name of a band, or a number
// of six digits. It returns nil for a number that isn't finite.
func (a Axis) datum(v float64) any {
	if !words.Finite(v) {
		return nil
	}
	if a.Bands != nil {
		return a.Bands[int(math.Round(v))]
	}
	return significant(v, 6)
}

// series reports whether marks of the layer belong to a series.
func (l Layer) series() bool {
	return slices.ContainsFunc(l.Data, func(d Datum) bool { return d.Series != "" })
}

// fills reports whether marks are filled, so that the symbols of a legend are
// filled, too. Lines with tooltips have points.
func (l Layer) fills() bool {
	return l.Mark != Rule && l.Mark != Text && (l.Mark != Line || len(l.Tips) > 0)
}

// layer returns a layer of marks. first says that it has the legend of the
// panel, if it can have one. chosen is the parameter that holds the series to
// show, or "".
func (p Panel) layer(l Layer, chosen string, first bool) object {
	if l.Grid != nil {
		return p.cells(*l.Grid)
	}

	encoding := object{"x": p.X.vega("x", p.Width), "y": p.Y.vega("y", p.Height)}
	mark, second := p.vegaMark(l, encoding)

	series := len(p.Series) > 0 && l.series()
	if series {
		var names, colours, forms []string
		var patterns [][]float64

		shaped, dashed := false, false
		for _, s := range p.Series {
			names, colours, forms = append(names, s.Name), append(colours, s.Colour.themed()), append(forms, shapes()[s.Shape])
			patterns = append(patterns, append([]float64{}, dashes(s.Dash)...))
			shaped, dashed = shaped || s.Shape != Circle, dashed || s.Dash > 0
		}

		var legend any
		if p.hasLegend() && first && l.fills() {
			sides := object{"title": nil, "symbolType": "square", "symbolOpacity": 1, "symbolStrokeWidth": 0, "orient": "right",
				"offset": measure(p).beside + legendGap}
			if p.Legend != "" {
				sides["title"] = p.Legend
			}
			if p.legendBelow() {
				sides["orient"], sides["columns"], sides["offset"] = "bottom", 1, 8
			}
			legend = sides
		}

		bySeries := func(values any) object {
			return object{"field": "series", "type": "nominal", "sort": nil, "legend": legend, "scale": object{"domain": names, "range": values}}
		}

		encoding["color"] = bySeries(colours)
		sides, _ := legend.(object)
		if shaped && l.Mark == Point {
			delete(sides, "symbolType")
			encoding["shape"] = bySeries(forms)
		}
		if dashed && l.Mark == Line && l.Opacity == 0 {
			delete(sides, "symbolStrokeWidth")
			if sides != nil {
				sides["symbolType"] = "stroke"
			}
			encoding["strokeDash"] = bySeries(patterns)
		}
	}

	opacity, channel := 1.0, "opacity"
	if l.Opacity > 0 {
		opacity = l.Opacity
	}

	if l.Mark == Line {
		channel = "strokeOpacity"
		encoding["detail"], encoding["order"] = object{"field": "course", "type": "nominal"}, object{"value": nil}
	}

	encoding[channel] = object{"value": opacity}
	if chosen != "" && series {
		encoding[channel] = object{"condition": object{"param": chosen, "value": opacity}, "value": opacity / 8}
	}

	if len(l.Tips) > 0 {
		encoding["tooltip"] = tooltips(l.Tips)
	}

	view := object{"mark": mark, "encoding": encoding, "data": object{"values": p.records(l, second, series)}}
	if l.Mark == Line || l.Mark == Area {
		values, fields := fold(view["data"].(object)["values"].([]object))
		view["data"] = object{"values": values}
		if len(fields) > 0 {
			view["transform"] = []object{{"flatten": fields}}
		}
	}
	return view
}

// fold joins the points of each line to one record, so that they take half of
// the bytes. fields lists what varies along a line, sorted. These fields become
// arrays.
func fold(points []object) (lines []object, fields []string) {
	at, varies := map[any]int{}, map[string]bool{}

	var members [][]object
	for _, p := range points {
		i, ok := at[p["course"]]
		if !ok {
			i = len(members)
			at[p["course"]], members = i, append(members, nil)
		}
		if members[i] = append(members[i], p); len(members[i]) > 1 {
			for name, v := range p {
				varies[name] = varies[name] || v != members[i][0][name]
			}
		}
	}

	for name, varying := range varies {
		if varying {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)

	for _, line := range members {
		record := object{}
		for name, v := range line[0] {
			record[name] = v
		}
		for _, name := range fields {
			values := make([]any, len(line))
			for i, p := range line {
				values[i] = p[name]
			}
			record[name] = values
		}
		lines = append(lines, record)
	}

	if lines == nil {
		lines = []object{}
	}
	return lines, fields
}

// vegaMark returns the mark of a layer. It adds to the encoding what these
// marks need: sizes, texts, second ends, positions at an edge. second reports
// whether the marks have a second end.
func (p Panel) vegaMark(l Layer, encoding object) (mark object, second bool) {
	mark = object{"type": string(l.Mark), "color": l.Colour.themed(), "clip": l.Mark != Text}
	if l.Shift != 0 {
		mark["xOffset"] = l.Shift
	}

	all := func(value func(Datum) float64) bool {
		return len(l.Data) > 0 && !slices.ContainsFunc(l.Data, func(d Datum) bool { return !math.IsNaN(value(d)) })
	}

	switch l.Mark {
	case Line:
		mark["strokeWidth"], mark["strokeJoin"] = l.stroke(), "round"
		if len(l.Tips) > 0 { // invisible points that readers can point at
			mark["point"] = object{"filled": true, "size": 50, "opacity": 0}
		}
	case Point:
		mark["filled"], mark["size"] = true, 4*math.Pow(l.radius(Datum{}), 2)
		if slices.ContainsFunc(l.Data, func(d Datum) bool { return d.Radius > 0 }) {
			encoding["size"] = object{"field": "size", "type": "quantitative", "scale": nil, "legend": nil}
		}
	case Bar:
		second = true
		for name, axis := range map[string]Axis{"height": p.Y, "width": p.X} {
			if axis.Bands != nil {
				mark[name] = object{"band": l.share()}
			}
		}
		if p.X.Bands == nil && p.Y.Bands == nil {
			mark["type"] = "rect"
		}
	case Rule, Area:
		second = true
		if l.Mark == Rule {
			mark["strokeWidth"] = l.stroke()
		}
		for name, value := range map[string]func(Datum) float64{"x": func(d Datum) float64 { return d.X }, "y": func(d Datum) float64 { return d.Y }} {
			if all(value) {
				second = false
				delete(encoding, name)
			}
		}
	case Tick:
		mark["type"], mark["shape"], mark["angle"], mark["size"] = "point", "stroke", 90, 4*tickReach*tickReach
		mark["strokeWidth"], mark["filled"] = l.stroke(), false
	case Text:
		mark["align"], mark["fontSize"], mark["baseline"] = [2]string{"left", "right"}[int(l.Align)], smallText, "middle"
		if l.Bold {
			mark["fontWeight"] = "bold"
		}
		encoding["text"] = object{"field": "text"}
		if all(func(d Datum) float64 { return d.X }) {
			encoding["x"] = object{"value": p.Width}
		}
		if all(func(d Datum) float64 { return d.Y }) {
			encoding["y"] = object{"value": smallText / 2}
			if l.Slanted {
				encoding["y"], mark["angle"] = object{"value": -slantedGap}, -slant
			}
		}
	}

	if l.Dashed {
		mark["strokeDash"] = []float64{3, 3}
	}

	if second {
		if p.X.Bands == nil && l.Mark != Area {
			encoding["x2"] = object{"field": "x2"}
		}
		if p.Y.Bands == nil {
			encoding["y2"] = object{"field": "y2"}
		}
	}
	return mark, second
}

// records returns the marks of a layer as data. It omits marks at positions
// that aren't finite, except rules and texts. second and series say whether the
// marks need a second end and their series.
func (p Panel) records(l Layer, second, series bool) []object {
	list := make([]object, 0, len(l.Data))
	courses := make([]int, len(l.Data))
	for i, course := range l.courses() {
		for _, at := range course {
			courses[at] = i + 1
		}
	}

	for i, d := range l.Data {
		if courses[i] == 0 && l.Mark != Rule && l.Mark != Text {
			continue
		}

		r := object{}
		for name, v := range map[string]any{"x": p.X.datum(d.X), "y": p.Y.datum(d.Y)} {
			if v != nil {
				r[name] = v
			}
		}

		if second && p.X.Bands == nil && l.Mark != Area {
			r["x2"] = p.X.datum(d.X2)
		}
		if second && p.Y.Bands == nil {
			r["y2"] = p.Y.datum(d.Y2)
		}

		if series {
			r["series"] = d.Series
		}
		if l.Mark == Line || l.Mark == Area {
			r["course"] = courses[i]
		}
		if l.Mark == Text {
			r["text"] = words.Plain(d.Text)
		}
		if d.Radius > 0 {
			r["size"] = 4 * d.Radius * d.Radius
		}

		for t, v := range d.Tips {
			r["t"+strconv.Itoa(t)] = v
		}
		list = append(list, r)
	}
	return list
}

// tooltips returns a tooltip with the numbered fields t0, t1, … under these
// names, because Vega might read a name as a path.
func tooltips(names []string) []object {
	list := make([]object, len(names))
	for i, name := range names {
		list[i] = object{"field": "t" + strconv.Itoa(i), "title": name}
	}
	return list
}

// cells returns a heat map as a record per column, with arrays of its cells, so
// that a cell takes no more bytes than its value.
func (p Panel) cells(g Grid) object {
	const stops = 30
	domain, colours := make([]float64, stops+1), make([]string, stops+1)
	for i := range domain {
		v := g.Colours.value(float64(i) / stops)
		domain[i], colours[i] = Round(v), g.Colours.At(v).CSS()
	}

	kind := "linear"
	if g.Colours.Log {
		kind = "log"
	}

	records := make([]object, len(p.X.Bands))
	for j := range records {
		y, values := []string{}, []float64{}
		for i, row := range g.Values {
			if !math.IsNaN(row[j]) {
				y, values = append(y, p.Y.Bands[g.First+i]), append(values, Round(row[j]))
			}
		}
		records[j] = object{"x": p.X.Bands[j], "about": g.About[j], "y": y, "value": values}
	}

	encoding := object{
		"x": p.X.vega("x", p.Width), "y": p.Y.vega("y", p.Height),
		"color": object{"field": "value", "type": "quantitative", "legend": nil,
			"scale": object{"type": kind, "domain": domain, "range": colours, "interpolate": "rgb", "clamp": true}},
		"tooltip": []object{{"field": "x", "title": g.Names[0]}, {"field": "about", "title": g.Title},
			{"field": "y", "title": g.Names[1]}, {"field": "value", "title": g.Quantity}},
	}

	return object{"mark": object{"type": "rect"}, "encoding": encoding, "data": object{"values": records},
		"transform": []object{{"flatten": []string{"y", "value"}}}}
}

// scaleBar returns the scale of a heat map's colours as a separate view. Vega's
// legend has a gradient that refers to the page's address, and vanishes when
// JupyterLab changes it.
func (p Panel) scaleBar(g Grid) object {
	const pieces = 32
	records, high := make([]object, pieces), p.scaleHeight()
	for i := range records {
		from, to := g.Colours.value(float64(i)/pieces), g.Colours.value(float64(i+1)/pieces)
		records[i] = object{"y": Round(from), "y2": Round(to), "colour": g.Colours.At(g.Colours.value((float64(i) + 0.5) / pieces)).CSS()}
	}

	upright := Axis{Low: g.Colours.Low, High: g.Colours.High, Log: g.Colours.Log}.vega("y", high)
	axis := upright["axis"].(object)
	axis["orient"], axis["grid"] = "right", false

	return object{"width": swatch, "height": high, "data": object{"values": records}, "mark": "rect",
		"title":    object{"text": g.Quantity, "anchor": "start", "frame": "group", "fontSize": smallText},
		"encoding": object{"y": upright, "y2": object{"field": "y2"}, "color": object{"field": "colour", "type": "nominal", "scale": nil}}}
}

// Round keeps what words.Number writes, three digits and the whole part, in a
// third of the bytes. Values that aren't finite stay.
func Round(v float64) float64 {
	if v == 0 || !words.Finite(v) {
		return v
	}
	if math.Abs(v) >= 999.5 {
		return math.Round(v)
	}
	return significant(v, 3)
}

// significant rounds to a number of significant digits.
func significant(v float64, digits int) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil { // beyond the largest number
		return v
	}
	return short
}
