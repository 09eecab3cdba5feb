package trials

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/axis"
	"fsnetlab/widgets/chart/scene"
	"fsnetlab/widgets/chart/words"
)

// Path draws the accuracy, or of a quantity R², over the number of features, in the way of Tuning.
func Path(t Tuned) (chart.Picture, error) {
	return chart.Drawn(pathScene(t), true, t.bars(t.title("Path")), t.alt(t.title("Path")))
}

// Sweep draws the accuracy, or of a quantity R², over the values of one key: the mean over seeds with its 95 % interval, and a dot for each
// seed.
func Sweep(t Tuned) (chart.Picture, error) {
	return chart.Drawn(sweepScene(t), true, t.bars(t.sweepTitle()), t.alt(t.sweepTitle()))
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

func pathScene(t Tuned) *scene.Scene {
	return t.curve(t.title("Path"), "mean ± one standard error", "k: the first features of one training",
		func(p TunedPoint) string { return strconv.Itoa(p.K) })
}

func sweepScene(t Tuned) *scene.Scene {
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

// The geometry of a curve, in points.
const (
	curveLeft   = 52.0
	curveHigh   = 220.0
	curveStride = 56.0
)

// curve draws figures over values, which stand at equal distances.
func (t Tuned) curve(title, what, along string, label func(TunedPoint) string) *scene.Scene {
	shown, numbers := t.inOrder()
	stride := curveStride
	for _, i := range shown {
		stride = max(stride, scene.TextWidth(label(t.Points[i]), scene.SmallText, false)+12)
	}
	s := &scene.Scene{Width: curveLeft + max(stride*float64(len(shown)), 280) + 3*scene.Margin}
	t.head(s, title, shown)
	t.caption(s, curveLeft, what)
	wide, marks := s.Width-curveLeft-3*scene.Margin, 0
	y := t.scale(shown, 6)
	below := tunedTop + curveHigh
	down := func(v float64) float64 { return below - curveHigh*y.Within(v) }
	for _, v := range y.Ticks {
		s.Line(curveLeft, down(v), curveLeft+wide, down(v), scene.Faint, 0.5, 0)
		s.Text(curveLeft-8, down(v), axis.Label(v), scene.Small(1, 0.5))
	}
	if t.Threshold != nil {
		s.Line(curveLeft, down(*t.Threshold), curveLeft+wide, down(*t.Threshold), scene.Grey, 1, 4,
			scene.About("one standard error below the best", scene.Rounded(*t.Threshold))...)
	}
	x := func(place int) float64 { return curveLeft + wide*(float64(place)+0.5)/float64(len(shown)) }
	for place := 1; numbers && place < len(shown); place++ { // what is no number has nothing between
		s.Line(x(place-1), down(t.Points[shown[place-1]].bar().mean), x(place), down(t.Points[shown[place]].bar().mean), scene.Blue, 1, 0)
	}
	for place, i := range shown {
		p := t.Points[i]
		b := p.bar()
		for j, one := range p.BySeed { // beside the interval, in the order of the seeds, so that equal ones are told apart
			aside := 10 + 4*float64(j%4)
			s.Dot(x(place)+aside, down(one.figure()), 2, scene.Grey,
				scene.About("settings", p.name(), "seed", one.Seed, t.measure(), scene.Rounded(one.figure()))...)
		}
		s.Line(x(place), down(b.low), x(place), down(b.high), t.colour(i), 1.5, 0, t.facts(i)...)
		if b.high > y.High {
			s.Add(scene.Stroke{Points: [][2]float64{{x(place) - 4, down(y.High) - 1}, {x(place), down(y.High) - 5},
				{x(place) + 4, down(y.High) - 1}},
				Colour: t.colour(i), Width: 1.5})
		}
		s.Dot(x(place), down(b.mean), 4, t.colour(i), t.facts(i)...)
		s.Text(x(place), below+14, label(p), scene.Small(0.5, 0))
		for line, word := range strings.Split(t.mark(i), ", ") {
			s.Text(x(place), below+27+12*float64(line), word, scene.Lettering{Size: scene.SmallText, Bold: true, Colour: scene.Ink, H: 0.5})
			marks = max(marks, line+1)
		}
	}
	below += 30 + 12*float64(marks)
	s.Text(curveLeft+wide/2, below, along, scene.Small(0.5, 0))
	s.Height = below + 10
	return s
}
