package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// Feature draws one feature: its histogram over the training rows, a bar a class in every bin, and the largest probability that any
// selector gave it in P, over the steps. The text adds each class's mean, spread and quartiles, and what the selectors give it now.
func Feature(f session.Feature) (Picture, error) {
	d := featureOf(f)
	return Drawn(d.scene(), true, d.text(f),
		fmt.Sprintf("%s, %s: histogram of the training rows by class, and its course in P.", d.title, d.subtitle))
}

// featurePicture describes the picture: bars over the feature's values above curves over steps.
type featurePicture struct {
	title    string
	subtitle string
	bars     panel // of counts; its curves are the classes
	values   axis.Axis
	edges    []float64
	counts   [][]int // classes × bins
	course   figure  // no panels where there is no course
}

func featureOf(f session.Feature) featurePicture {
	d := featurePicture{title: words.Plain(f.Name), bars: panel{title: "Training rows", height: 140}, counts: f.Bins.Counts,
		edges: f.Bins.Edges}
	most := 1
	for c, counts := range f.Bins.Counts {
		label := fmt.Sprintf("class %d", c+1)
		if c < len(f.Classes) {
			label = words.Shorten(words.Plain(f.Classes[c].Class), 16)
		}
		d.bars.curves = append(d.bars.curves, curve{label: label, colour: classColour(c), width: 6})
		most = max(most, slices.Max(append(counts, 0)))
	}
	d.bars.y = axis.Linear(0, float64(most)*1.05, 4)
	d.bars.y.Ticks = slices.DeleteFunc(d.bars.y.Ticks, func(t float64) bool { return t != math.Trunc(t) })
	low, high := 0.0, 1.0
	if n := len(d.edges); n > 1 {
		low, high = d.edges[0], d.edges[n-1]
		if high <= low {
			low, high = low-0.5, high+0.5
			d.edges = []float64{low + 0.4, high - 0.4}
		}
	}
	d.values = axis.Linear(low, high, 8)

	facts := []string{fmt.Sprintf("column %d of %s", f.Index, words.Plain(f.Session)), fmt.Sprintf("step %d", f.Step)}
	if c, n := f.Course, len(f.Course.Steps); n > 0 && n == len(c.Probability) && n == len(c.Selectors) {
		facts = append(facts, fmt.Sprintf("probability %s by selector %d", words.Number(c.Probability[n-1]), c.Selectors[n-1]))
		d.course = figure{unit: "step", perEpoch: 1, x: axis.Linear(0, max(1, float64(c.Steps[n-1])), 8), panels: []panel{{
			title: "Largest probability in P, over the selectors", height: 90, y: shares(4),
			curves: []curve{{metric: "probability", label: "largest probability", colour: scene.Green, width: 2, steps: c.Steps,
				values: c.Probability}},
		}}}
	} else if !f.Kept {
		facts = append(facts, "constant over the training rows: set aside")
	}
	d.subtitle = strings.Join(facts, " · ")
	return d
}

// classColour is a colour of its own for each class.
func classColour(c int) scene.RGB { return scene.Category(c) }

func (d featurePicture) scene() *scene.Scene {
	s := &scene.Scene{Width: plotLeft + plotWidth + 3*scene.Margin, Height: 44 + panelTitle}
	s.Heading(d.title, d.subtitle)
	d.bars.frame(s, s.Height)
	for c, counts := range d.counts {
		for b, n := range counts {
			if n > 0 {
				s.Add(d.bar(c, b, s.Height))
			}
		}
	}
	s.Height += d.bars.height
	drawBelow(d.values, s, s.Height, "value, in the file's units")
	s.Height += axisBelow
	for _, p := range d.course.panels {
		s.Height += panelTitle
		p.frame(s, s.Height)
		d.course.draw(s, p, p.curves[0], s.Height)
		s.Height += p.height
		drawBelow(d.course.x, s, s.Height, d.course.unit)
		s.Height += axisBelow
	}
	return s
}

// bar is that of a class in a bin: the classes of a bin stand side by side.
func (d featurePicture) bar(class, bin int, top float64) scene.Rect {
	wide, rows := d.edges[bin+1]-d.edges[bin], d.counts[class][bin]
	each := 0.9 * wide / float64(len(d.counts))
	from := d.edges[bin] + 0.05*wide + each*float64(class)
	left, down := plotWidth*d.values.At(from), d.bars.down(float64(rows))
	return scene.Rect{X: plotLeft + left, Y: top + down, W: plotWidth*d.values.At(from+each) - left, H: d.bars.height - down,
		Colour: classColour(class),
		Facts: scene.About("class", d.bars.curves[class].label, "rows", rows, "from", scene.Rounded(d.edges[bin]), "to",
			scene.Rounded(d.edges[bin+1]))}
}

// text is a table a class and the course as a sparkline.
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
	for _, p := range d.course.panels {
		values := p.curves[0].values
		fmt.Fprintf(&b, "in P  %s  %s → %s\n", words.Sparkline(values, min(40, len(values))), words.Number(values[0]),
			words.Number(values[len(values)-1]))
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
