package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Tuning draws the mean accuracy, or of a quantity R², of every combination of a grid with one standard error to both sides. The best and
// the chosen one are marked, and a line stands one standard error below the best. Of very many the best are drawn.
func Tuning(t Tuned) (Picture, error) {
	return Drawn(tuningSpec(t), true, "")
}

// mostTuned is how many combinations a picture has room for.
const mostTuned = 60

// shown are the points that are drawn: those with figures, in their order.
func (t Tuned) shown() []int {
	var list []int
	for i, p := range t.Points {
		if p.figure() != nil {
			list = append(list, i)
		}
	}
	if len(list) > mostTuned {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Or(-cmp.Compare(len(t.mark(a)), len(t.mark(b))), -cmp.Compare(t.Points[a].figure().Mean, t.Points[b].figure().Mean))
		})
		list = slices.Sorted(slices.Values(list[:mostTuned]))
	}
	return list
}

// estimates are the figures of the shown points, each in its band.
func (t Tuned) estimates(shown []int) (list []estimate) {
	for band, i := range shown {
		p := t.Points[i]
		b := p.bar()
		e := estimate{band: band, mean: b.mean, low: b.low, high: b.high, series: others}
		if t.Chosen != nil && *t.Chosen == i {
			e.series = chosen
		}
		e.tips = []any{p.name(), words.Fixed(b.mean, 3), words.Fixed(p.figure().SE, 3), p.Difference.text("%+.3f"), cmp.Or(t.mark(i), "-")}
		if t.Seeds > 0 {
			e.tips = append(e.tips, p.interval())
		}
		list = append(list, e)
	}
	return list
}

// tips are the names of what a reader is told of a point.
func (t Tuned) tips() []string {
	tips := []string{"settings", t.measure(), "standard error", "to the best", "mark"}
	if t.Seeds > 0 {
		tips = append(tips, "95 % over seeds")
	}
	return tips
}

// The series of a tuning.
const chosen, others = "chosen", "others"

func tunedSeries() []spec.Series {
	return []spec.Series{{Name: chosen, Colour: spec.Vermillion}, {Name: others, Colour: spec.Blue}}
}

// scale is an axis for the figures with their errors, which ends at 1, and begins at 0 or higher where they are accuracies.
func (t Tuned) scale(title string, shown []int) spec.Axis {
	low, high, least := 1.0, 0.0, math.Inf(-1)
	for _, i := range shown {
		b := t.Points[i].bar()
		low, high = min(low, b.low), max(high, b.high)
		for _, s := range t.Points[i].BySeed {
			low, high = min(low, s.figure()), max(high, s.figure())
		}
	}
	if !t.quantity() {
		least = 0
	}
	return within(title, low, high, least)
}

// spec is the words of a chart.
func (t Tuned) spec(title string, shown []int, p spec.Panel) spec.Spec {
	how := t.how()
	if n := len(t.Points); len(shown) < n {
		how += "; " + strconv.Itoa(len(shown)) + " of " + count.Of(n, "combination") + " are drawn"
	}
	p.Series, p.NoLegend = tunedSeries(), true
	return spec.Spec{Title: title, Subtitle: []string{how, t.outcome()}, Rows: [][]spec.Panel{{p}}, Alt: t.alt(title)}
}

// threshold is the line one standard error below the best.
func (t Tuned) threshold(upright bool) spec.Layer {
	l := spec.Layer{Mark: spec.Rule, Colour: spec.Grey, Size: 1, Dashed: true, Tips: []string{"one standard error below the best"}}
	if t.Threshold != nil {
		d := spec.Datum{X: *t.Threshold, X2: *t.Threshold, Y: math.NaN(), Tips: []any{spec.Rounded(*t.Threshold)}}
		if upright {
			d.X, d.Y, d.Y2 = math.NaN(), *t.Threshold, *t.Threshold
		}
		l.Data = []spec.Datum{d}
	}
	return l
}

// caption says what is drawn along an axis.
func (t Tuned) caption(what string) string {
	if t.Threshold != nil {
		what += "; dashed: the best less one standard error"
	}
	return t.judged() + ": " + what
}

func tuningSpec(t Tuned) spec.Spec {
	shown := t.shown()
	p := spec.Panel{Width: 340, X: t.scale(t.caption("mean ± one standard error"), shown), Y: spec.Axis{Bands: []string{}}}
	marks := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Bold: true, Shift: 10}
	for band, i := range shown {
		p.Y.Bands = append(p.Y.Bands, words.Shorten(t.Points[i].name(), 48))
		if mark := t.mark(i); mark != "" {
			marks.Data = append(marks.Data, spec.Datum{X: p.X.High, Y: float64(band), Text: mark})
		}
	}
	p.Layers = append([]spec.Layer{t.threshold(false)}, estimates(t.estimates(shown), p.X, false, t.tips()...)...)
	p.Layers = append(p.Layers, marks)
	return t.spec(t.title("Tuning"), shown, p)
}
