package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
)

// Feature draws one feature: its histogram over the training rows, a bar a class in every bin, and the largest probability that any
// selector gave it in P, over the steps. The text adds each class's mean, spread and quartiles, and what the selectors give it now.
func Feature(f session.Feature) (Picture, error) {
	d := featureOf(f)
	spec, err := d.vegaLite()
	if err != nil {
		return Picture{}, err
	}
	image, err := d.png()
	if err != nil {
		return Picture{}, err
	}
	return Picture{VegaLite: spec, PNG: image, Text: d.text(f), Alt: d.alt()}, nil
}

// featurePicture describes the picture: bars over the feature's values above curves over steps.
type featurePicture struct {
	title    string
	subtitle []string
	bars     panel // of counts; its lines are the classes
	low      float64
	high     float64
	ticks    []float64 // of the values
	edges    []float64
	counts   [][]int // classes × bins
	course   figure  // no panels where there is no course
}

const barsHeight, courseHeight = 140.0, 90.0

func featureOf(f session.Feature) featurePicture {
	d := featurePicture{
		title:  plain(f.Name),
		bars:   panel{title: "Training rows", height: barsHeight, high: 1},
		counts: f.Bins.Counts, edges: f.Bins.Edges, high: 1,
	}
	most := 1
	for c, counts := range f.Bins.Counts {
		label := fmt.Sprintf("class %d", c+1)
		if c < len(f.Classes) {
			label = shorten(plain(f.Classes[c].Class), 16)
		}
		d.bars.lines = append(d.bars.lines, line{label: label, colour: classColour(c), width: 6})
		for _, n := range counts {
			most = max(most, n)
		}
	}
	d.bars.high = float64(most) * 1.05
	d.bars.ticks = slices.DeleteFunc(linearTicks(0, d.bars.high, 4), func(t float64) bool { return t != math.Trunc(t) })
	if n := len(d.edges); n > 1 {
		d.low, d.high = d.edges[0], d.edges[n-1]
		if d.high <= d.low {
			d.low, d.high = d.low-0.5, d.high+0.5
			d.edges = []float64{d.low + 0.4, d.high - 0.4}
		}
	}
	d.ticks = linearTicks(d.low, d.high, 8)

	facts := []string{fmt.Sprintf("column %d of %s", f.Index, plain(f.Session)), fmt.Sprintf("step %d", f.Step)}
	if n := len(f.Course.Steps); n > 0 && n == len(f.Course.Probability) && n == len(f.Course.Selectors) {
		facts = append(facts, fmt.Sprintf("probability %s by selector %d", number(f.Course.Probability[n-1]), f.Course.Selectors[n-1]))
		d.course = courseOf(f.Course)
	} else if !f.Kept {
		facts = append(facts, "constant over the training rows: set aside")
	}
	d.subtitle = []string{strings.Join(facts, " · ")}
	return d
}

func courseOf(c session.Course) figure {
	l := line{metric: "probability", label: "largest probability", colour: green, width: 2, steps: c.Steps, values: c.Probability}
	p := panel{title: "Largest probability in P, over the selectors", height: courseHeight, high: 1, lines: []line{l}}
	p.ticks = linearTicks(0, 1, 4)
	f := figure{axis: "step", perEpoch: 1, from: 0, to: max(1, float64(c.Steps[len(c.Steps)-1])), panels: []panel{p}}
	f.ticks = linearTicks(f.from, f.to, 8)
	return f
}

// classColour goes round the four colours of lines, paler from the fifth class on.
func classColour(c int) rgb {
	colours := []rgb{blue, vermillion, green, purple}
	return blend(colours[c%len(colours)], paper, min(0.6, 0.35*float64(c/len(colours))))
}

// bar is where the bar of a class in a bin stands on the axis of values: the classes of a bin side by side.
func (d featurePicture) bar(class, bin int) (from, to float64) {
	width := d.edges[bin+1] - d.edges[bin]
	each := 0.9 * width / float64(len(d.counts))
	from = d.edges[bin] + 0.05*width + each*float64(class)
	return from, from + each
}

func (d featurePicture) alt() string {
	return fmt.Sprintf("%s, %s: histogram of the training rows by class, and its course in P.", d.title, d.subtitle[0])
}

// text is a table a class and the course as a sparkline.
func (d featurePicture) text(f session.Feature) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%-16s %4s %9s %9s %9s %9s %9s %9s %9s  histogram\n", d.title, d.subtitle[0], "class", "n", "mean", "sd", "min", "q1", "median", "q3", "max")
	for c, s := range f.Classes {
		fmt.Fprintf(&b, "%s %4d", pad(shorten(plain(s.Class), 16), 16), s.N)
		for _, x := range []float64{s.Mean, s.SD, s.Min, s.Q1, s.Median, s.Q3, s.Max} {
			fmt.Fprintf(&b, " %9s", number(x))
		}
		if c < len(d.counts) {
			var counts []float64
			for _, n := range d.counts[c] {
				counts = append(counts, float64(n))
			}
			fmt.Fprintf(&b, "  %s", sparkline(counts, len(counts)))
		}
		b.WriteByte('\n')
	}
	for _, p := range d.course.panels {
		values := p.lines[0].values
		fmt.Fprintf(&b, "in P  %s  %s → %s\n", sparkline(values, min(40, len(values))), number(values[0]), number(values[len(values)-1]))
	}
	if len(f.Probability) > 0 {
		var now []string
		for k, p := range f.Probability {
			now = append(now, fmt.Sprintf("%d: %s", k, number(p)))
		}
		fmt.Fprintf(&b, "now, by selector  %s\n", strings.Join(now, "  "))
	}
	return b.String()
}
