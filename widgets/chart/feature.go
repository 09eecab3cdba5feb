package chart

import (
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Feature draws one feature: its histogram over the training rows, with a bar
// per class in every bin, and over the steps the largest probability that a
// selector gave it in P. The text adds mean, standard deviation and quartiles
// of each class, and the current probabilities of the selectors.
func Feature(f session.Feature) (Picture, error) {
	d := featureOf(f)
	s := d.spec()
	s.Alt = fmt.Sprintf("%s, %s: histogram of the training rows by class, and its course in P.", d.title, d.subtitle)
	return draw(s, true, 0, fixed(d.text(f))), nil
}

// featurePicture describes the picture: bars over the feature's values above
// curves over steps.
type featurePicture struct {
	figure  // without panels if the feature has no course in P
	classes []string
	edges   []float64
	counts  [][]int // classes × bins
}

// featureOf computes what Feature draws. Bins without width become one bin
// around the value. If there is no consistent course in P, the figure has no
// panels.
func featureOf(f session.Feature) featurePicture {
	d := featurePicture{counts: f.Bins.Counts, edges: f.Bins.Edges}
	for c := range f.Bins.Counts {
		label := fmt.Sprintf("class %d", c+1)
		if c < len(f.Classes) {
			label = words.Shorten(words.Plain(f.Classes[c].Class), 16)
		}
		d.classes = append(d.classes, label)
	}

	if n := len(d.edges); n > 1 && d.edges[n-1] <= d.edges[0] {
		d.edges = []float64{d.edges[0] - 0.1, d.edges[0] + 0.1}
	}

	facts := []string{fmt.Sprintf("column %d of %s", f.Index, words.Plain(f.Session)), fmt.Sprintf("step %d", f.Step)}
	if c, n := f.Course, len(f.Course.Steps); n > 0 && n == len(c.Probability) && n == len(c.Selectors) {
		facts = append(facts, fmt.Sprintf("probability %s by selector %d", words.Number(c.Probability[n-1]), c.Selectors[n-1]))
		d.figure = figure{unit: "step", perEpoch: 1, x: spec.Axis{Low: 0, High: max(1, float64(c.Steps[n-1]))}, panels: []panel{{
			title: "Largest probability in P, over the selectors", height: 90, y: shareAxis(),
			curves: []curve{{metric: "probability", label: "largest probability", colour: spec.Green, width: 2, steps: c.Steps,
				values: c.Probability}},
		}}}
	} else if !f.Kept {
		facts = append(facts, "constant over the training rows: set aside")
	}

	d.title, d.subtitle = words.Plain(f.Name), strings.Join(facts, " · ")
	return d
}

// spec puts the histogram above the course in P. The bars of a bin's classes
// are next to each other. The course has a different axis.
func (d featurePicture) spec() spec.Spec {
	s := d.figure.spec()
	s.Linked = false

	p := spec.Panel{Title: "Training rows", Width: plotWidth, Height: 140, X: spec.Axis{Title: "value, in the file's units"},
		Y: spec.Axis{Low: 0, High: 1.05, Whole: true}, Legend: "class"}
	bars := spec.Layer{Mark: spec.Bar, Tips: []string{"class", "rows", "from", "to"}}

	if n := len(d.edges); n > 1 {
		p.X.Low, p.X.High = d.edges[0], d.edges[n-1]
		if n == 2 {
			p.X.Low, p.X.High = p.X.Low-0.4, p.X.High+0.4
		}
	}

	for c, counts := range d.counts {
		p.Series = append(p.Series, spec.Series{Name: d.classes[c], Colour: spec.Category(c)})
		for b, rows := range counts {
			if rows == 0 {
				continue
			}
			wide := d.edges[b+1] - d.edges[b] // the bars of a bin's classes are next to each other
			each := 0.9 * wide / float64(len(d.counts))
			from := d.edges[b] + 0.05*wide + each*float64(c)
			bars.Data = append(bars.Data, spec.Datum{X: from, X2: from + each, Y2: float64(rows), Series: d.classes[c],
				Tips: []any{d.classes[c], rows, spec.Round(d.edges[b]), spec.Round(d.edges[b+1])}})
			p.Y.High = max(p.Y.High, 1.05*float64(rows))
		}
	}

	p.Layers = []spec.Layer{bars}
	s.Rows = slices.Insert(s.Rows, 0, []spec.Panel{p})
	return s
}

// text returns a table with one line per class: its number of rows, mean,
// standard deviation, minimum, quartiles, maximum and histogram. Below it come
// sparklines of the feature's probability in P over the training, and its
// current probability in each selector.
func (d featurePicture) text(f session.Feature) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%-16s %4s %9s %9s %9s %9s %9s %9s %9s  histogram\n", d.title, d.subtitle, "class", "n", "mean", "sd", "min",
		"q1", "median", "q3", "max")

	most := float64(slices.Max(append(slices.Concat(d.counts...), 0)))
	for c, s := range f.Classes {
		fmt.Fprintf(&b, "%s %4d", words.Pad(words.Shorten(words.Plain(s.Class), 16), 16), s.N)
		for _, x := range []float64{s.Mean, s.SD, s.Min, s.Q1, s.Median, s.Q3, s.Max} {
			fmt.Fprintf(&b, " %9s", words.Number(x))
		}
		if c < len(d.counts) {
			var counts []float64
			for _, n := range d.counts[c] {
				counts = append(counts, float64(n))
			}
			fmt.Fprintf(&b, "  %s", words.Sparkline(counts, len(counts), 0, most))
		}
		b.WriteByte('\n')
	}

	for _, c := range d.all() {
		fmt.Fprintf(&b, "in P  %s  %s → %s\n", words.Sparkline(c.values, min(40, len(c.values))), words.Number(c.values[0]), c.last())
	}

	if len(f.Probability) > 0 {
		var now []string
		for k, p := range f.Probability {
			now = append(now, fmt.Sprintf("%d: %s", k, words.Number(p)))
		}
		fmt.Fprintf(&b, "at step %d, by selector  %s\n", f.Step, strings.Join(now, "  "))
	}

	return b.String()
}
