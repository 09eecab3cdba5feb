package chart

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Path draws the accuracy, or of a quantity R², over the number of features, in the way of Tuning.
func Path(t Tuned) (Picture, error) {
	return Drawn(pathSpec(t), true, "")
}

// Sweep draws the accuracy, or of a quantity R², over the values of one key: the mean over seeds with its 95 % interval, and a dot for each
// seed.
func Sweep(t Tuned) (Picture, error) {
	return Drawn(sweepSpec(t), true, "")
}

func (t Tuned) sweepTitle() string {
	return t.title(strings.TrimSpace("Sweep of " + words.Plain(t.swept())))
}

// swept is the key of a sweep.
func (t Tuned) swept() string {
	for _, p := range t.Points {
		if len(p.Settings) == 1 {
			return p.Settings[0].Key
		}
	}
	return ""
}

func pathSpec(t Tuned) spec.Spec {
	return t.curve(t.title("Path"), "mean ± one standard error", "k: the first features of one training",
		func(p TunedPoint) string { return strconv.Itoa(p.K) })
}

func sweepSpec(t Tuned) spec.Spec {
	seeds := slices.ContainsFunc(t.Points, func(p TunedPoint) bool { return p.Interval != nil })
	what := "mean ± one standard error"
	if seeds {
		what = "mean over seeds with its 95 % interval; a grey dot is a seed"
	}
	return t.curve(t.sweepTitle(), what, t.swept(), func(p TunedPoint) string { return words.Shorten(words.Plain(p.value()), 24) })
}

// value is that of the key of a sweep.
func (p TunedPoint) value() string {
	if len(p.Settings) != 1 {
		return p.name()
	}
	return p.Settings[0].Value
}

// bar is a mean and what is drawn about it.
type bar struct{ mean, low, high float64 }

// bar is over seeds where there are some, else over folds.
func (p TunedPoint) bar() bar {
	a := p.figure()
	if p.Interval == nil {
		return bar{a.Mean, a.Mean - a.SE, a.Mean + a.SE}
	}
	return bar{(p.Interval.Low + p.Interval.High) / 2, p.Interval.Low, p.Interval.High}
}

// inOrder are the points that are drawn, by their values where these are one number each.
func (t Tuned) inOrder() (shown []int, numbers bool) {
	shown = t.shown()
	values := make([]float64, len(t.Points))
	for _, i := range shown {
		var err error
		if values[i], err = strconv.ParseFloat(t.Points[i].value(), 64); err != nil || len(t.Points[i].Settings) != 1 {
			return shown, false
		}
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return shown, true
}

// curve draws figures over values, which stand at equal distances.
func (t Tuned) curve(title, what, along string, label func(TunedPoint) string) spec.Spec {
	shown, numbers := t.inOrder()
	p := spec.Panel{Width: max(56*float64(len(shown)), 420), Height: 220, X: spec.Axis{Title: along, Bands: []string{}},
		Y: t.scale(t.judged(), shown)}
	line := spec.Layer{Mark: spec.Line, Colour: spec.Blue, Size: 1}
	marks := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Bold: true, Shift: 8}
	for band, i := range shown {
		p.X.Bands = append(p.X.Bands, label(t.Points[i]))
		b := t.Points[i].bar()
		if numbers { // what is no number has nothing between
			line.Data = append(line.Data, spec.Datum{X: float64(band), Y: b.mean})
		}
		if mark := t.mark(i); mark != "" {
			marks.Data = append(marks.Data, spec.Datum{X: float64(band), Y: min(b.high, p.Y.High), Text: mark})
		}
	}
	p.Layers = append([]spec.Layer{t.threshold(true), line}, estimates(t.estimates(shown), p.Y, true, t.tips()...)...)
	const abreast = 4 // seeds beside the interval, in their order, so that equal ones are told apart
	for aside := range abreast {
		seeds := spec.Layer{Mark: spec.Point, Colour: spec.Grey, Size: 2, Shift: 10 + 4*float64(aside), Tips: []string{"settings", "seed", t.measure()}}
		for band, i := range shown {
			for j, one := range t.Points[i].BySeed {
				if j%abreast == aside {
					seeds.Data = append(seeds.Data, spec.Datum{X: float64(band), Y: one.figure(),
						Tips: []any{t.Points[i].name(), one.Seed, spec.Rounded(one.figure())}})
				}
			}
		}
		p.Layers = append(p.Layers, seeds)
	}
	p.Layers = append(p.Layers, marks)
	s := t.spec(title, shown, p)
	s.Subtitle = append(s.Subtitle, t.caption(what))
	return s
}
