package chart

import (
	"fmt"
	"math"
)

// rankDiagram is a critical-difference diagram as Demšar draws it (2006, figure 1): mean ranks on an axis, the best at the left. From each a
// line goes down and then out to the name of its method, those of the better half to the left and the others to the right, the outermost
// first, so that no line crosses another or a name. Between the axis and the names lie the bars of methods that are not told apart. Heights
// are in points below the axis.
type rankDiagram struct {
	names  []rankName
	bars   []rankBar
	axis   int     // it goes from 1 to here
	cd     float64 // the critical difference, or 0 where it is longer than the axis
	above  float64 // height above the axis
	height float64 // below it
}

// rankName is a method: where its line comes from and what it leads to.
type rankName struct {
	method string
	rank   float64
	y      float64
	left   bool
}

// rankBar joins methods that are not told apart.
type rankBar struct{ from, to, y float64 }

const (
	rankNumbers = 18.0 // above the axis: its numbers,
	rankCD      = 26.0 // the length of the critical difference,
	rankAbove   = 42.0 // and its name
	rankFirst   = 10.0 // from the axis to the first bar, and from the last bar to the first name
	rankLane    = 7.0  // between two bars
	rankRow     = 17.0 // between two names
)

func rankDiagramOf(r *ComparedRanking) rankDiagram {
	d := rankDiagram{axis: max(len(r.Ranks), 2), above: rankNumbers}
	if r.CriticalDifference <= float64(d.axis-1) {
		d.cd, d.above = r.CriticalDifference, rankAbove
	}
	place := map[string]float64{}
	for _, m := range r.Ranks {
		place[m.Method] = m.Rank
	}
	y := rankFirst
	var ends []float64 // of the last bar in each lane
	for _, group := range r.Groups {
		b := rankBar{from: place[group[0]], to: place[group[len(group)-1]]}
		lane := 0
		for lane < len(ends) && b.from <= ends[lane]+0.02*float64(d.axis) {
			lane++
		}
		if lane == len(ends) {
			ends = append(ends, 0)
		}
		ends[lane], b.y = b.to, y+rankLane*float64(lane)
		d.bars = append(d.bars, b)
	}
	y += rankLane*float64(len(ends)) + rankFirst
	half := (len(r.Ranks) + 1) / 2
	for i, m := range r.Ranks {
		n := rankName{method: fmt.Sprintf("%s (%s)", m.Method, fixed(m.Rank, 2)), rank: m.Rank, left: i < half}
		outer := i
		if !n.left {
			outer = len(r.Ranks) - 1 - i
		}
		n.y = y + rankRow*float64(outer)
		d.names = append(d.names, n)
	}
	d.height = y + rankRow*float64(max(half, 1)-1) + rankRow/2
	return d
}

// widths are those of the longest names at either side.
func (d rankDiagram) widths() (left, right float64) {
	for _, n := range d.names {
		w := textWidth(n.method, smallText, false)
		if n.left {
			left = max(left, w)
		} else {
			right = max(right, w)
		}
	}
	return left, right
}

const criticalDifference = "critical difference"

// draw puts it on a surface, with the names within the given edges and its upper end at y.
func (d rankDiagram) draw(s surface, x0, x1, y float64) {
	const gap = 6 // between a line and its name
	y += d.above
	left, right := d.widths()
	from, to := x0+left+gap+12, x1-right-gap-12
	at := func(rank float64) float64 { return from + (rank-1)/float64(d.axis-1)*(to-from) }
	if d.cd > 0 {
		end, up := at(1+d.cd), y-rankCD
		s.line(from, up, end, up, ink, 1)
		s.line(from, up-3, from, up+3, ink, 1)
		s.line(end, up-3, end, up+3, ink, 1)
		s.text(from, up-6, criticalDifference, lettering{size: smallText, colour: soft})
	}
	s.line(from, y, to, y, ink, 1)
	for rank := 1; rank <= d.axis; rank++ {
		s.line(at(float64(rank)), y-4, at(float64(rank)), y, ink, 1)
		s.text(at(float64(rank)), y-7, fmt.Sprint(rank), lettering{size: smallText, colour: soft, x: 0.5})
	}
	for _, n := range d.names {
		end, align := x0+left+gap, 1.0
		if !n.left {
			end, align = x1-right-gap, 0.0
		}
		s.polyline([][2]float64{{at(n.rank), y}, {at(n.rank), y + n.y}, {end, y + n.y}}, soft, 0.8)
		s.text(end+math.Copysign(gap, 0.5-align), y+n.y, n.method, lettering{size: smallText, colour: ink, x: align, y: 0.5})
	}
	for _, b := range d.bars {
		s.line(at(b.from)-3, y+b.y, at(b.to)+3, y+b.y, vermillion, 3.5)
	}
	for _, n := range d.names {
		s.dot(at(n.rank), y, 3, blue)
	}
}

// vega is the same with Vega-Lite, whose y is that of the diagram: points below the axis.
func (d rankDiagram) vega(title string) object {
	const wide = 480
	x := func(field string) object {
		return object{"field": field, "type": "quantitative", "title": nil, "scale": object{"domain": []int{1, d.axis}, "nice": false},
			"axis": object{"orient": "top", "values": d.ticks(), "format": "d", "labelFlush": false, "offset": -d.above, "grid": false, "domain": true, "ticks": true, "domainColor": grey.css(), "tickColor": grey.css()}}
	}
	y := func(field string) object {
		return object{"field": field, "type": "quantitative", "axis": nil, "scale": object{"domain": []float64{-d.above, d.height}, "reverse": true, "nice": false}}
	}
	stems, left, right, bars := []object{}, []object{}, []object{}, []object{}
	for _, n := range d.names {
		row := object{"method": n.method, "rank": rounded(n.rank), "axis": 0, "y": n.y}
		stems = append(stems, row)
		if n.left {
			left = append(left, row)
		} else {
			right = append(right, row)
		}
	}
	for _, b := range d.bars {
		bars = append(bars, object{"from": rounded(b.from), "to": rounded(b.to), "y": b.y})
	}
	rule := func(colour rgb, width float64) object {
		return object{"type": "rule", "color": colour.css(), "strokeWidth": width}
	}
	layer := func(values []object, mark, encoding object) object {
		return object{"data": object{"values": values}, "mark": mark, "encoding": encoding}
	}
	end := func(at int) object { return object{"value": at} }
	name := func(align string, away int) object {
		return object{"type": "text", "align": align, "baseline": "middle", "dx": away, "fontSize": smallText, "color": grey.css()}
	}
	named := func(at int) object { return object{"x": end(at), "y": y("y"), "text": object{"field": "method"}} }
	layers := []object{
		layer(stems, rule(grey, 0.8), object{"x": x("rank"), "y": y("axis"), "y2": object{"field": "y"}}),
		layer(left, rule(grey, 0.8), object{"x": x("rank"), "x2": end(-12), "y": y("y")}),
		layer(right, rule(grey, 0.8), object{"x": x("rank"), "x2": end(wide + 12), "y": y("y")}),
		layer(left, name("right", -6), named(-12)),
		layer(right, name("left", 6), named(wide+12)),
		layer(bars, object{"type": "rule", "color": vermillion.css(), "strokeWidth": 3.5, "strokeCap": "square"}, object{"x": x("from"), "x2": object{"field": "to"}, "y": y("y")}),
		layer(stems, object{"type": "point", "filled": true, "size": 28, "opacity": 1, "color": blue.css()}, object{"x": x("rank"), "y": y("axis"),
			"tooltip": []object{{"field": "method", "title": "method (mean rank)"}}}),
	}
	if d.cd > 0 {
		cd := []object{{"from": 1, "to": rounded(1 + d.cd), "y": -rankCD, "text": criticalDifference}}
		layers = append(layers,
			layer(cd, rule(grey, 1), object{"x": x("from"), "x2": object{"field": "to"}, "y": y("y")}),
			layer(cd, object{"type": "tick", "color": grey.css(), "size": 6, "thickness": 1, "orient": "vertical"}, object{"x": x("from"), "y": y("y")}),
			layer(cd, object{"type": "tick", "color": grey.css(), "size": 6, "thickness": 1, "orient": "vertical"}, object{"x": x("to"), "y": y("y")}),
			layer(cd, object{"type": "text", "align": "left", "dy": -8, "fontSize": smallText, "color": grey.css()}, object{"x": x("from"), "y": y("y"), "text": object{"field": "text"}}))
	}
	return object{"title": small(title), "width": wide, "height": d.height + d.above, "layer": layers}
}

func (d rankDiagram) ticks() []int {
	var list []int
	for rank := 1; rank <= d.axis; rank++ {
		list = append(list, rank)
	}
	return list
}
