package chart

import (
	"fmt"
	"math"

	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// mostRows limits the rows of a chart. Further rows are counted below it.
const mostRows = 60

// textOf renders a chart as text: tooltips as a table with bars, and lines as
// sparklines. names limits the letters of a name.
func textOf(s spec.Spec, names int) string {
	text := ""
	for _, row := range s.Rows {
		for _, p := range row {
			panel := bandText(p, names) + lineText(p, names)
			if panel != "" && p.Title != "" {
				panel = words.Plain(p.Title) + "\n" + panel
			}
			text += panel
		}
	}

	lines := func(list ...string) (text string) {
		for _, line := range list {
			text += words.Plain(line) + "\n"
		}
		return text
	}

	return lines(s.Title) + lines(s.Subtitle...) + text + lines(s.Below...)
}

// barLength is the length of a bar that spans the axis, in characters.
const barLength = 20

// bandText renders the first layer of points or bars over an axis of bands that
// has tooltips. Each line has the band, a bar, and the tooltip without its
// first entry, because that repeats the name. It returns "" if there is no such
// layer, or if both axes have bands.
func bandText(p spec.Panel, names int) string {
	bands, along := p.Y.Bands, p.X
	value := func(d spec.Datum) (band, end float64) { return d.Y, max(d.X, d.X2) }
	if p.X.Bands != nil {
		bands, along = p.X.Bands, p.Y
		value = func(d spec.Datum) (band, end float64) { return d.X, max(d.Y, d.Y2) }
	}

	if bands == nil || p.X.Bands != nil && p.Y.Bands != nil {
		return ""
	}

	for _, l := range p.Layers {
		if len(l.Tips) == 0 || len(l.Data) == 0 || l.Mark != spec.Point && l.Mark != spec.Bar {
			continue
		}

		t := words.Table{{Name: true}, {}}
		for _, title := range l.Tips[1:] {
			t = append(t, words.Column{Title: title, Right: true})
		}

		for _, d := range l.Data {
			band, end := value(d)
			cells := []string{bands[int(band)], ""}
			if !along.Log {
				cells[1] = words.Bar(max(end, 0)/along.High, barLength)
			}

			for _, tip := range d.Tips[1:] {
				cells = append(cells, fmt.Sprint(tip))
			}
			t.Add(cells...)
		}
		return t.Text(0, names)
	}
	return ""
}

// lineText renders each line of a panel as a sparkline, all on one scale,
// without faded layers. It returns "" if there are no lines.
func lineText(p spec.Panel, names int) string {
	if p.X.Bands != nil || p.X.Hidden {
		return ""
	}

	type course struct {
		name string
		id   int
	}

	var order []course
	values, all := map[course][]float64{}, []float64{}
	for _, l := range p.Layers {
		for _, d := range l.Data {
			c := course{d.Series, d.Course}
			if l.Mark != spec.Line || l.Opacity > 0 {
				continue
			}
			if values[c] == nil {
				order = append(order, c)
			}
			values[c], all = append(values[c], d.Y), append(all, d.Y)
		}
	}

	if len(order) == 0 {
		return ""
	}

	t := words.Table{{Name: true}, {}, {}}
	for _, c := range order {
		v := values[c]
		first, last := v[0], v[len(v)-1]
		ends := words.Number(first) + " → " + words.Number(last)
		if math.IsNaN(first) || len(v) == 1 {
			ends = words.Number(last)
		}
		t.Add(c.name, words.Sparkline(v, 2*barLength, all...), ends)
	}
	return t.Text(0, names)
}
