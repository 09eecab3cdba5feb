package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Heatmap draws the selected features, one per line, over the training rows,
// one per column, in standard deviations from the mean. The rows are grouped by
// class, and the features ordered by the class in which they are highest. If
// there are more classes than colours, the classes are labelled. Test rows, if
// there are any, have a separate panel below. Missing values are blank.
//
// The error is of kind Failed if the rows are inconsistent.
func Heatmap(r session.Rows) (Picture, error) {
	if err := check(r); err != nil {
		return Picture{}, err
	}
	d := heatmapOf(r)
	return draw(d.spec(), true, nameLetters, d.text), nil
}

// heatmap describes the picture.
type heatmap struct {
	session.Rows
	title    string
	subtitle []string
	lines    []heatLine
}

// heatLine holds a feature in standard deviations.
type heatLine struct {
	name        string
	train, test []float64
	highest     int // the class with the largest mean, or -1
}

// heatmapOf standardises features by mean and standard deviation of the
// training rows, in test rows, too. It orders the features by the class in
// which they are highest.
func heatmapOf(r session.Rows) heatmap {
	d := heatmap{Rows: r, title: "Selected features of " + words.Plain(r.Session) + " by class"}
	classes := members(r.Train)

	for _, f := range r.Features {
		s := scaleOf(f.Train)
		l := heatLine{name: short(f.Name), train: s.apply(f.Train), test: s.apply(f.Test)}
		_, l.highest, _ = classMeans(l.train, classes)
		d.lines = append(d.lines, l)
	}
	slices.SortStableFunc(d.lines, func(a, b heatLine) int { return cmp.Compare(a.highest, b.highest) })

	facts := []string{stepText(r), phrase.Count(len(d.lines), "feature"), rowsText(r.Train, "training row")}
	d.subtitle = []string{strings.Join(facts, " · ")}

	if r.Test != nil {
		d.subtitle = append(d.subtitle, fmt.Sprintf("%s · look %d at the test rows", rowsText(*r.Test, "test row"), r.TestLooks))
	}
	return d
}

// stepText returns the step that rows belong to or, if the training isn't over,
// how far it has come.
func stepText(r session.Rows) string {
	if r.Unfinished != "" {
		return words.Plain(r.Unfinished)
	}
	return fmt.Sprintf("step %d", r.Step)
}

// heatPart is the training or the test rows.
type heatPart struct {
	session.PartRows
	title  string
	values func(heatLine) []float64
}

// parts returns the training rows and, if the rows include them, the test rows.
func (d heatmap) parts() []heatPart {
	list := []heatPart{{d.Train, "Training rows", func(l heatLine) []float64 { return l.train }}}
	if d.Test != nil {
		list = append(list, heatPart{*d.Test, "Test rows", func(l heatLine) []float64 { return l.test }})
	}
	return list
}

// Sizes of the cells, in points.
const (
	sheetWidth   = 560.0 // limits all cells together
	widestCell   = 16.0
	tallestLine  = 18.0
	shortestLine = 12.0
	sheetHeight  = 480.0 // limits all lines together, unless lines would be lower than shortestLine
)

// spec draws training rows above test rows, with one legend.
func (d heatmap) spec() spec.Spec {
	s := spec.Spec{Title: d.title, Alt: d.alt(),
		Subtitle: append(slices.Clone(d.subtitle), "standard deviations from the training mean; blank: missing")}
	for i, p := range d.parts() {
		panel := d.part(p)
		panel.NoLegend = i > 0
		s.Rows = append(s.Rows, []spec.Panel{panel})
	}
	return s
}

// part draws the training or the test rows, sorted by class, below a line with
// the colours of the classes. If there are more classes than colours, their
// names are above the line.
func (d heatmap) part(p heatPart) spec.Panel {
	high := max(shortestLine, min(tallestLine, sheetHeight/float64(len(d.lines))))
	panel := spec.Panel{Width: min(sheetWidth, widestCell*float64(max(len(p.Row), 1))), Height: high * float64(len(d.lines)+1),
		X: spec.Axis{Bands: []string{}, Hidden: true}, Y: spec.Axis{Bands: []string{"class"}}, Legend: "class (rows)"}

	if d.Test != nil {
		panel.Title = p.title
	}

	g := &spec.Grid{First: 1, Quantity: "deviations", Names: [2]string{"row", "feature"}, Title: "class", Colours: spec.Deviations()}
	classes := spec.Layer{Mark: spec.Bar, Size: 1, Tips: []string{"class", "rows"}}
	clusters := spec.Layer{Mark: spec.Text, Slanted: true, Colour: spec.Ink}
	var order []int

	for c, at := range members(p.PartRows) {
		if len(at) == 0 {
			continue
		}
		name := className(d.Rows, p.PartRows, c, len(at))
		panel.Series = append(panel.Series, spec.Kind(name, c))
		clusters.Data = append(clusters.Data, spec.Datum{X: float64(len(order)) + float64(len(at)-1)/2, Y: math.NaN(), Text: name})
		for _, i := range at {
			x := float64(len(order))
			order = append(order, i)
			panel.X.Bands = append(panel.X.Bands, strconv.Itoa(p.Row[i]))
			g.About = append(g.About, words.Plain(d.Classes[c]))
			classes.Data = append(classes.Data, spec.Datum{X: x, X2: x, Series: name, Tips: []any{words.Plain(d.Classes[c]), len(at)}})
		}
	}

	for _, l := range d.lines {
		panel.Y.Bands = append(panel.Y.Bands, l.name)
		values := make([]float64, len(order))
		for j, i := range order {
			values[j] = p.values(l)[i]
		}
		g.Values = append(g.Values, values)
	}

	panel.Layers = []spec.Layer{classes, {Grid: g}}
	if len(panel.Series) > spec.Categories() {
		panel.Named, panel.Layers = true, append(panel.Layers, apart(clusters, panel.Width/float64(len(order)), len(order)))
	}
	return panel
}

// apart moves cluster names, in place, to whole bands that are far enough apart
// and inside the panel. band is the width of a band in points.
func apart(names spec.Layer, band float64, bands int) spec.Layer {
	const pitch = 12.0
	least, last := math.Ceil(pitch/band), float64(bands-1)

	for i, d := range names.Data {
		x := math.Round(d.X)
		if i > 0 {
			x = max(x, names.Data[i-1].X+least)
		}
		names.Data[i].X = x
	}

	for i := len(names.Data) - 1; i >= 0 && names.Data[i].X > last; i-- { // back from the edge
		names.Data[i].X = max(last, 0)
		last = names.Data[i].X - least
	}
	return names
}

// fewClasses is the number of classes that fit next to each other in a text.
const fewClasses = 4

// text lists each feature's mean in each class. If there are many classes, it
// lists only the highest and the lowest.
func (d heatmap) text(letters int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", d.title, strings.Join(d.subtitle, "\n"))
	b.WriteString("mean of each class, in standard deviations from the training mean\n")
	for _, p := range d.parts() {
		if d.Test != nil {
			b.WriteString(strings.ToLower(p.title) + "\n")
		}
		b.WriteString(d.means(p).Text(0, letters))
	}
	return b.String()
}

// means returns each feature's mean in each class. If there are more than
// fewClasses, it returns its highest and its lowest class with their means.
func (d heatmap) means(p heatPart) words.Table {
	t, classes := words.Table{{Title: "feature", Name: true}}, members(p.PartRows)
	few := len(classes) <= fewClasses

	if few {
		for _, name := range d.Classes {
			t = append(t, words.Column{Title: words.Shorten(words.Plain(name), 12), Right: true})
		}
	} else {
		t = append(t, words.Column{Title: "highest in", Name: true}, words.Column{Title: "mean", Right: true},
			words.Column{Title: "lowest in", Name: true}, words.Column{Title: "mean", Right: true})
	}

	for _, l := range d.lines {
		means, high, low := classMeans(p.values(l), classes)
		t[0].Cells = append(t[0].Cells, l.name)
		if few {
			for c, mean := range means {
				t[c+1].Cells = append(t[c+1].Cells, words.Fixed(mean, 2))
			}
			continue
		}

		for i, c := range []int{high, low} {
			name, mean := "–", math.NaN()
			if c >= 0 {
				name, mean = words.Plain(d.Classes[c]), means[c]
			}
			t[2*i+1].Cells, t[2*i+2].Cells = append(t[2*i+1].Cells, name), append(t[2*i+2].Cells, words.Fixed(mean, 2))
		}
	}
	return t
}

// classMeans returns the mean of the known values in each class, and the
// classes with the largest and the smallest mean, or -1.
func classMeans(values []float64, classes [][]int) (means []float64, high, low int) {
	high, low = -1, -1
	for c, at := range classes {
		means = append(means, meanOf(values, at))
		if words.Finite(means[c]) && (high < 0 || means[c] > means[high]) {
			high = c
		}
		if words.Finite(means[c]) && (low < 0 || means[c] < means[low]) {
			low = c
		}
	}
	return means, high, low
}

// alt describes the picture in one sentence.
func (d heatmap) alt() string {
	var facts []string
	for _, l := range d.lines[:min(len(d.lines), 5)] {
		if l.highest >= 0 {
			facts = append(facts, fmt.Sprintf("%s is highest in %s", l.name, words.Plain(d.Classes[l.highest])))
		}
	}
	return fmt.Sprintf("%s, %s: heat map of standardised values; %s.", d.title, d.subtitle[0], strings.Join(facts, ", "))
}
