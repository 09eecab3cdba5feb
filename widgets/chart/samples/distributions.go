package samples

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/table"
	"fsnetlab/widgets/chart/words"
)

// Distributions draws each selected feature over the training rows, a lane a class: a density whose area is the same for every class,
// however many rows it has, with a tick a row below it, or of few rows a dot each, and a line at the median. Values are in the file's
// units.
//
// Errors: kind Failed for rows that do not fit together.
func Distributions(r session.Rows) (chart.Picture, error) {
	if err := check(r); err != nil {
		return chart.Picture{}, err
	}
	d := distributions{r, members(r.Train)}
	p, err := chart.Drawn(d.scene(), true, d.text(table.NameLetters), d.alt())
	return p.Fitting(func(columns int, _ bool) string { return d.text(min(table.NameLetters, max(8, columns-56))) }), err
}

type distributions struct {
	session.Rows
	classes [][]int
}

// fewest is how many rows a class has a density from; mostTicks is up to how many rows in all each has a tick.
const (
	fewest    = 8
	mostTicks = 120
)

// The geometry of the picture, in points.
const (
	panelWide   = 190.0
	panelGap    = 18.0
	fewWide     = 3 // panels beside each other
	manyWide    = 4 // of more than manyPanels
	manyPanels  = 15
	panelTitle  = 20.0
	panelBelow  = 26.0
	tallLane    = 34.0
	lowLane     = 20.0 // of many classes
	manyClasses = 4
	tickLength  = 4.0
)

func (d distributions) title() string {
	return "Selected features of " + words.Plain(d.Session) + " by class: distributions"
}

func (d distributions) subtitle() string {
	return fmt.Sprintf("step %d · %s · in the file's units", d.Step, rowsText(d.Train, "training row"))
}

func (d distributions) scene() *scene.Scene {
	s := &scene.Scene{}
	s.Heading(d.title(), d.subtitle(), "each class has the same area, however many rows it has · long line: median")
	var shown []int
	left := 40.0
	for c, at := range d.classes {
		if len(at) > 0 {
			shown = append(shown, c)
			left = max(left, scene.Margin+scene.TextWidth(className(d.Rows, d.Train, c, len(at)), scene.SmallText, false)+10)
		}
	}
	high := tallLane
	if len(shown) > manyClasses {
		high = lowLane
	}
	features := d.Features[:min(len(d.Features), table.MostRows)]
	each := panelTitle + high*float64(len(shown)) + panelBelow
	top, wide := 60.0, fewWide
	if len(features) > manyPanels {
		wide = manyWide
	}
	for i, f := range features {
		x, y := left+float64(i%wide)*(panelWide+panelGap), top+each*float64(i/wide)
		d.panel(s, f, shown, x, y, high)
		if i%wide == 0 {
			for line, c := range shown {
				s.Text(left-10, y+panelTitle+high*(float64(line)+0.62), className(d.Rows, d.Train, c, len(d.classes[c])), scene.Small(1, 0.5))
			}
		}
		s.Widen(x + panelWide + scene.Margin)
	}
	s.Height = top + each*math.Ceil(float64(len(features))/float64(wide))
	if more := len(d.Features) - len(features); more > 0 {
		s.Text(scene.Margin, s.Height, count.Of(more, "more feature")+" in the text", scene.Small(0, 0))
		s.Height += 10
	}
	return s
}

// panel is one feature.
func (d distributions) panel(s *scene.Scene, f session.RowFeature, shown []int, left, top, high float64) {
	name := words.Plain(f.Name)
	for n := table.NameLetters; scene.TextWidth(name, scene.SubtitleText, true) > panelWide; n-- {
		name = words.Shorten(name, n)
	}
	s.Text(left, top+11, name, scene.Lettering{Size: scene.SubtitleText, Bold: true, Colour: scene.Soft})
	a, spread := d.axis(f)
	bottom := top + panelTitle + high*float64(len(shown))
	for _, tick := range a.Ticks {
		x := left + panelWide*a.At(tick)
		s.Line(x, top+panelTitle, x, bottom, scene.Faint, 0.5, 0)
		s.Text(x, bottom+13, axis.Label(tick), scene.Small(0.5, 0))
	}
	densities, most := make([]density, len(shown)), 0.0
	for line, c := range shown {
		densities[line] = densityOf(d.sorted(f, c), a, spread)
		most = max(most, densities[line].highest())
	}
	for line, c := range shown {
		d.lane(s, f, c, densities[line].scaled(most), a, left, top+panelTitle+high*float64(line+1), high)
	}
}

// sorted are a class's values without those missing.
func (d distributions) sorted(f session.RowFeature, class int) (list []float64) {
	for _, i := range d.classes[class] {
		if v := float64(f.Train[i]); words.Finite(v) {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list
}

// axis has room for all values and the feet of the densities; spread is what the values reach over.
func (d distributions) axis(f session.RowFeature) (a axis.Axis, spread float64) {
	var all []float64
	for _, v := range f.Train {
		all = append(all, float64(v))
	}
	low, high := words.Extent(all)
	if high <= low {
		low, high = low-0.5, high+0.5
	}
	spread = high - low
	return axis.Linear(low-0.15*spread, high+0.15*spread, 4), spread
}

// lane is one class: the density stands on its foot, ticks hang below it.
func (d distributions) lane(s *scene.Scene, f session.RowFeature, class int, curve []float64, a axis.Axis, left, bottom, high float64) {
	values, colour := d.sorted(f, class), scene.Category(class)
	foot, up := bottom-tickLength-3, high-tickLength-7
	at := func(v float64) float64 { return left + panelWide*a.At(v) }
	s.Line(left, foot, left+panelWide, foot, scene.Faint, 0.5, 0)
	if len(values) == 0 {
		return
	}
	if curve == nil { // few: a dot each, those that would lie on another above it
		var placed [][2]float64
		for _, v := range values {
			x, y := at(v), foot-3
			for slices.ContainsFunc(placed, func(p [2]float64) bool { return math.Hypot(p[0]-x, p[1]-y) < 4.5 }) && y > foot-up {
				y -= 2
			}
			placed = append(placed, [2]float64{x, y})
			s.Dot(x, y, 2.4, colour, d.facts(class, values, "value", scene.Rounded(v))...)
		}
	} else {
		line := scene.Stroke{Colour: colour, Width: 1.4}
		for i, y := range curve {
			line.Points = append(line.Points, [2]float64{left + panelWide*float64(i)/(densityPoints-1), foot - up*y})
		}
		s.Add(line)
		if len(d.Train.Row) <= mostTicks {
			for _, v := range values {
				s.Line(at(v), foot+1, at(v), foot+1+tickLength, colour, 0.8, 0)
			}
		}
	}
	if len(values) > 1 {
		median, above := session.Quantile(values, 0.5), up
		if curve != nil {
			above = up * curve[int(math.Round(a.At(median)*(densityPoints-1)))]
		}
		s.Line(at(median), foot-above, at(median), foot+1+tickLength, colour, 2, 0, d.facts(class, values)...)
	}
}

// facts are what is said of a class.
func (d distributions) facts(class int, values []float64, more ...any) []scene.Fact {
	return scene.About(append([]any{"class", words.Plain(d.Classes[class]), "rows", len(values), "median",
		scene.Rounded(session.Quantile(values, 0.5)),
		"quartiles", words.Number(session.Quantile(values, 0.25)) + " to " + words.Number(session.Quantile(values, 0.75))}, more...)...)
}

// text lists the median and the quartiles of each feature in each class, with a density as a sparkline.
func (d distributions) text(length int) string {
	t := table.Table{{Title: "feature", Name: true}, {Title: "class", Name: true}, {Title: "n", Right: true},
		{Title: "q1", Right: true}, {Title: "median", Right: true}, {Title: "q3", Right: true}, {Title: "density"}}
	for _, f := range d.Features {
		name := nameOf(f)
		a, spread := d.axis(f)
		for c := range d.classes {
			values := d.sorted(f, c)
			if len(values) == 0 {
				continue
			}
			curve := densityOf(values, a, spread)
			line := words.Sparkline(curve, 20)
			if curve == nil {
				line = "too few"
			}
			t.Add(name, words.Shorten(words.Plain(d.Classes[c]), classLength), fmt.Sprint(len(values)),
				words.Number(session.Quantile(values, 0.25)), words.Number(session.Quantile(values, 0.5)),
				words.Number(session.Quantile(values, 0.75)), line)
			name = ""
		}
	}
	return d.title() + "\n" + d.subtitle() + "\n" + t.Text(0, length)
}

// alt is the picture in one sentence.
func (d distributions) alt() string {
	var names []string
	for _, f := range d.Features {
		names = append(names, words.Plain(f.Name))
	}
	return d.title() + ", " + d.subtitle() + ": " + strings.Join(names, ", ") + "."
}
