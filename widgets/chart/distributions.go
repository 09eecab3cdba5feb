package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Distributions draws each selected feature over the training rows, in the
// file's units, with a lane per class. A lane shows a density, a tick per row
// below it, and a line at the median. The densities of all classes have equal
// areas. A class of few rows has a dot per row instead.
//
// The error is of kind Failed if the rows are inconsistent.
func Distributions(r session.Rows) (Picture, error) {
	if err := check(r); err != nil {
		return Picture{}, err
	}
	d := distributions{r, members(r.Train)}
	return draw(d.spec(), true, nameLetters, d.text), nil
}

// distributions describes the picture. classes holds, for each class, the
// positions of its rows.
type distributions struct {
	session.Rows
	classes [][]int
}

const (
	fewest    = 8   // rows from which a class has a density
	mostTicks = 120 // with more rows, counted over all classes, there are no ticks
)

// Sizes of the panels, in points.
const (
	panelWide   = 190.0
	fewWide     = 3 // panels in a row
	manyWide    = 4 // panels in a row if there are more than manyPanels
	manyPanels  = 15
	tallLane    = 34.0
	lowLane     = 20.0 // if there are more than manyClasses
	manyClasses = 4
)

// Heights of a lane's parts, as shares of the lane.
const (
	laneTicks = 0.14 // below the baseline
	laneCurve = 0.8  // above the baseline, at the highest density
)

func (d distributions) title() string {
	return "Selected features of " + words.Plain(d.Session) + " by class: distributions"
}

func (d distributions) subtitle() string {
	return fmt.Sprintf("%s · %s · in the file's units", stepText(d.Rows), rowsText(d.Train, "training row"))
}

// spec draws a panel for each feature, three or four in a row. If there are
// more than mostRows features, it draws the first ones and counts the others
// below.
func (d distributions) spec() spec.Spec {
	s := spec.Spec{Title: d.title(), Alt: d.alt(),
		Subtitle: []string{d.subtitle(), "each class has the same area, however many rows it has · long line: median"}}

	features, wide := d.Features[:min(len(d.Features), mostRows)], fewWide
	if len(features) > manyPanels {
		wide = manyWide
	}

	for i, f := range features {
		if i%wide == 0 {
			s.Rows = append(s.Rows, nil)
		}
		p := d.panel(f, i%wide == 0)
		if wide == manyWide {
			p.Width *= float64(fewWide) / manyWide
		}
		p.NoLegend = p.NoLegend || !p.Named && i != min(wide, len(features))-1
		at := len(s.Rows) - 1
		s.Rows[at] = append(s.Rows[at], p)
	}

	if more := len(d.Features) - len(features); more > 0 {
		s.Below = []string{phrase.Count(more, "more feature") + " in the text"}
	}
	return s
}

// panel draws one feature with a lane for each class, the first at the top. If
// there are more classes than colours, the first panel of a row names the
// lanes.
func (d distributions) panel(f session.RowFeature, first bool) spec.Panel {
	a, spread := d.axis(f)
	p := spec.Panel{Title: words.Shorten(words.Plain(f.Name), 26), Width: panelWide, X: a, Legend: "class (rows)"}

	var shown []int
	for c, at := range d.classes {
		if len(at) > 0 {
			shown = append(shown, c)
		}
	}

	lane := tallLane
	if len(shown) > manyClasses {
		lane = lowLane
	}
	p.Height, p.Y = lane*float64(len(shown)), spec.Axis{Low: -0.2, High: float64(len(shown)) - 0.2, Hidden: true}

	densities, most := make([][]float64, len(shown)), 0.0
	for line, c := range shown {
		densities[line] = densityOf(d.sortedValues(f, c), a, spread)
		most = max(most, slices.Max(append([]float64{0}, densities[line]...)))
	}

	tips := []string{"class", "rows", "median", "quartiles"}
	areas, medians := spec.Layer{Mark: spec.Area, Opacity: spec.Faded}, spec.Layer{Mark: spec.Rule, Size: 2, Tips: tips}
	ticks, dots := spec.Layer{Mark: spec.Rule, Size: 0.8}, spec.Layer{Mark: spec.Point, Size: 2.4, Tips: append(tips, "value")}
	names := spec.Layer{Mark: spec.Text, Colour: spec.Soft, Align: 1, Shift: -6}
	for line, c := range shown {
		base, values, name := float64(len(shown)-1-line), d.sortedValues(f, c), className(d.Rows, d.Train, c, len(d.classes[c]))
		p.Series = append(p.Series, spec.Kind(name, c))
		names.Data = append(names.Data, spec.Datum{X: a.Low, Y: base + 0.25, Text: name})

		curve := densities[line]
		for i, y := range curve {
			curve[i] = y / most
			x := a.Low + (a.High-a.Low)*float64(i)/(densityPoints-1)
			areas.Data = append(areas.Data, spec.Datum{X: x, Y: base + laneCurve*curve[i], Y2: base, Series: name})
		}

		var placed []spec.Datum
		for _, v := range values {
			switch {
			case curve == nil: // few rows: a dot each, stacked where they would overlap
				dot := spec.Datum{X: v, Y: base + 0.1, Series: name, Tips: append(d.facts(c, values), spec.Round(v))}
				for slices.ContainsFunc(placed, func(o spec.Datum) bool {
					return math.Hypot((o.X-v)/(a.High-a.Low)*panelWide, (o.Y-dot.Y)*lane) < 4.5
				}) && dot.Y < base+laneCurve {
					dot.Y += 2 / lane
				}
				placed = append(placed, dot)
			case len(d.Train.Row) <= mostTicks:
				ticks.Data = append(ticks.Data, spec.Datum{X: v, X2: v, Y: base - laneTicks, Y2: base - 0.02, Series: name})
			}
		}
		dots.Data = append(dots.Data, placed...)

		if len(values) > 1 {
			median, above := session.Quantile(values, 0.5), laneCurve
			if curve != nil {
				above *= curve[int(math.Round((median-a.Low)/(a.High-a.Low)*(densityPoints-1)))]
			}
			medians.Data = append(medians.Data, spec.Datum{X: median, X2: median, Y: base - laneTicks, Y2: base + above, Series: name,
				Tips: d.facts(c, values)})
		}
	}

	p.Layers = []spec.Layer{areas, ticks, dots, medians}

	if len(shown) > spec.Categories() {
		p.Named, p.NoLegend = first, !first
		if first {
			p.Layers = append(p.Layers, names)
		}
	}
	return p
}

// sortedValues returns a class's known values in ascending order.
func (d distributions) sortedValues(f session.RowFeature, class int) (list []float64) {
	for _, i := range d.classes[class] {
		if v := float64(f.Train[i]); words.Finite(v) {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list
}

// axis returns an axis with room for the tails of the densities, and the range
// of the training values. If a feature doesn't vary, its range is 1.
func (d distributions) axis(f session.RowFeature) (a spec.Axis, spread float64) {
	var all []float64
	for _, v := range f.Train {
		all = append(all, float64(v))
	}
	low, high := words.Extent(all)
	if high <= low {
		low, high = low-0.5, high+0.5
	}
	spread = high - low
	return spec.Axis{Low: low - 0.15*spread, High: high + 0.15*spread}, spread
}

// facts returns the tooltip of a class from its sorted values: class, rows,
// median, quartiles.
func (d distributions) facts(class int, values []float64) []any {
	return []any{words.Plain(d.Classes[class]), len(values), spec.Round(session.Quantile(values, 0.5)),
		words.Number(session.Quantile(values, 0.25)) + " to " + words.Number(session.Quantile(values, 0.75))}
}

// text lists number of rows, quartiles and median of each feature in each
// class, with the density as a sparkline of 20 characters. It omits classes
// without a known value. Names have at most letters characters.
func (d distributions) text(letters int) string {
	t := words.Table{{Title: "feature", Name: true}, {Title: "class", Name: true}, {Title: "n", Right: true},
		{Title: "q1", Right: true}, {Title: "median", Right: true}, {Title: "q3", Right: true}, {Title: "density"}}

	for _, f := range d.Features {
		name := short(f.Name)
		a, spread := d.axis(f)
		for c := range d.classes {
			values := d.sortedValues(f, c)
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

	return d.title() + "\n" + d.subtitle() + "\n" + t.Text(0, letters)
}

// alt describes the picture in one sentence.
func (d distributions) alt() string {
	var names []string
	for _, f := range d.Features {
		names = append(names, words.Plain(f.Name))
	}
	return d.title() + ", " + d.subtitle() + ": " + strings.Join(names, ", ") + "."
}

// densityPoints is the number of points of a density.
const densityPoints = 48

// narrowestCurve is the smallest bandwidth, as a share of the range of all
// values. Without it, a class whose values hardly vary would flatten the
// others.
const narrowestCurve = 0.04

// densityOf returns a kernel density of sorted values over an axis, with area
// 1. It returns nil if there are too few values. The bandwidth is Silverman's,
// 0.9 min(s, IQR/1.34) n^(-1/5), but at least narrowestCurve.
func densityOf(sorted []float64, a spec.Axis, spread float64) []float64 {
	n := float64(len(sorted))
	if n < fewest {
		return nil
	}

	width := stat.StdDev(sorted, nil)
	if iqr := (session.Quantile(sorted, 0.75) - session.Quantile(sorted, 0.25)) / 1.34; iqr > 0 {
		width = min(width, iqr)
	}
	width = max(0.9*width*math.Pow(n, -0.2), narrowestCurve*spread)

	curve := make([]float64, densityPoints)
	for i := range curve {
		x := a.Low + (a.High-a.Low)*float64(i)/(densityPoints-1)
		for _, v := range sorted {
			z := (x - v) / width
			curve[i] += math.Exp(-z*z/2) / (n * width * math.Sqrt(2*math.Pi))
		}
	}
	return curve
}
