package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/results"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// tuning draws the result of tuning, a sweep or a path.
type tuning struct{ results.Tuned }

// value returns the value of a sweep's key, or the point's name if it has
// several settings.
func value(p results.Point) string {
	if len(p.Settings) != 1 {
		return pointName(p)
	}
	return p.Settings[0].Value
}

func pointName(p results.Point) string { return words.Plain(p.Name()) }

// estimateText formats a mean with its standard error, or "-".
func estimateText(e *results.Estimate, format string) string {
	if e == nil {
		return "-"
	}
	return fmt.Sprintf(format, math.Round(1000*e.Mean)/1000+0) + " ± " + words.Fixed(e.SE, 3) // + 0 turns −0.000 into 0.000
}

// mark returns how to mark the point with index i: "best", "chosen",
// "best, chosen" or "".
func (t tuning) mark(i int) string {
	var marks []string
	if t.Best != nil && *t.Best == i {
		marks = append(marks, "best")
	}
	if t.Chosen != nil && *t.Chosen == i {
		marks = append(marks, "chosen")
	}
	return strings.Join(marks, ", ")
}

// besideName names the score of the second judge, which isn't the session's
// network.
func (t tuning) besideName() string {
	if t.Metric.Quantity() {
		return "kernel ridge's R²"
	}
	return "SVM accuracy"
}

// judgeName names the score by which points are judged.
func (t tuning) judgeName() string {
	if t.Judge == "svm" || t.Judge == "kernel-ridge" {
		return t.besideName()
	}
	return t.Metric.Name() + " of the own network"
}

// title returns a title with the name of the data.
func (t tuning) title(what string) string { return what + " on " + words.Plain(t.Dataset) }

func (t tuning) sweepTitle() string {
	return t.title(strings.TrimSpace("Sweep of " + words.Plain(t.swept())))
}

// swept returns the key of a sweep. It returns "" if no point has exactly one
// setting.
func (t tuning) swept() string {
	for _, p := range t.Points {
		if len(p.Settings) == 1 {
			return p.Settings[0].Key
		}
	}
	return ""
}

// judging returns a phrase for captions: the score by which points are judged,
// the numbers of training rows and of folds, and the number of seeds or, if
// there are none, of repeats.
func (t tuning) judging() string {
	text := fmt.Sprintf("%s on held-out folds of the %s, %s", t.judgeName(), phrase.Count(t.Rows, "training row"), phrase.Count(t.Folds, "fold"))
	if t.Seeds > 0 {
		return text + ", " + phrase.Count(t.Seeds, "seed")
	}
	if t.Repeats > 1 {
		text += ", " + phrase.Count(t.Repeats, "repeat")
	}
	return text
}

// outcome returns in one line which point was chosen and why. If no point was,
// it says why not: fits are missing, or every point failed on a fold.
func (t tuning) outcome() string {
	switch {
	case t.Done < t.Planned:
		return fmt.Sprintf("%d of %s are done: nothing is chosen yet", t.Done, phrase.Count(t.Planned, "fit"))
	case t.Best == nil || t.Chosen == nil || *t.Best >= len(t.Points) || *t.Chosen >= len(t.Points):
		return "nothing is chosen: everything failed on a fold"
	}

	best, chosen := t.Points[*t.Best], t.Points[*t.Chosen]
	if *t.Best == *t.Chosen {
		return fmt.Sprintf("chosen: %s, the best (%s); nothing simpler is within one standard error", pointName(chosen), estimateText(best.Score, "%.3f"))
	}

	return fmt.Sprintf("chosen: %s (%s), the simplest within one standard error of the best, %s (%s)", pointName(chosen),
		estimateText(chosen.Score, "%.3f"), pointName(best), estimateText(best.Score, "%.3f"))
}

func (t tuning) alt(title string) string { return title + ": " + t.outcome() + "." }

// TuningTable lists the scores of all combinations, with the choice and the
// command that uses it.
func TuningTable(result results.Tuned) Picture {
	t := tuning{result}
	list := words.Table{{Title: "settings"}, {Title: "folds", Right: true}, {Title: "own " + t.Metric.Name() + " ± SE", Right: true},
		{Title: t.besideName() + " ± SE", Right: true}, {Title: "to the best ± SE", Right: true}, {Title: "mark"}}

	intervals := words.Column{Title: "95 % over seeds", Right: true}

	for i, p := range t.Points {
		folds := strconv.Itoa(p.Folds)
		if p.Failed > 0 {
			folds += fmt.Sprintf(" (%d failed)", p.Failed)
		}

		list.Add(pointName(p), folds, estimateText(p.Own, "%.3f"), estimateText(p.Beside, "%.3f"), estimateText(p.Difference, "%+.3f"), t.mark(i))
		intervals.Cells = append(intervals.Cells, intervalText(p.Interval, t.Metric))
	}

	if t.Seeds == 0 {
		return t.report(t.title("Tuning"), t.judging(), list)
	}
	return t.report(t.sweepTitle(), t.judging(), slices.Insert(list, 2, intervals))
}

// PathTable lists the k at which each feature enters, in the order of the path.
func PathTable(result results.Tuned) Picture {
	t := tuning{result}
	list := words.Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}, {Title: "enters at k", Right: true},
		{Title: "probability", Right: true}}

	for _, f := range t.Selected {
		list.Add(strconv.Itoa(f.Rank), f.Name, strconv.Itoa(f.Enters), words.Chance(f.Probability))
	}
	return t.report(t.title("Path"), "one training with the largest k; a smaller k takes the first of its features", list)
}

// report renders a table with its title, outcome, commands and caution.
func (t tuning) report(title, how string, list words.Table) Picture {
	caution := "The " + t.Metric.Name() + " of the best of many is too high, because chance helped it: one look at the test rows says what the " +
		"choice is worth."
	page, text := "<div><b>"+words.Escape(title)+"</b><div>"+words.Escape(how)+"</div>", title+"\n"+how+"\n"

	if len(list[0].Cells) > 0 {
		page, text = page+list.HTML(0), text+list.Text(0, 0)
	}

	page, text = page+"<div>"+words.Escape(t.outcome())+"</div>", text+words.Plain(t.outcome())+"\n"

	for _, line := range []string{t.Command, t.Magic} {
		if t.Command != "" {
			page, text = page+"<div><code>"+words.Escape(line)+"</code></div>", text+"  "+words.Plain(line)+"\n"
		}
	}

	return Picture{HTML: page + "<small>" + caution + "</small></div>", Text: text + caution + "\n", Alt: t.alt(title)}
}

// Tuning draws the mean accuracy, or R² for a quantity, of every combination of
// a grid, with one standard error on either side. It marks the best and the
// chosen combination, and draws a line one standard error below the best. If
// there are very many combinations, it draws only the best ones.
func Tuning(t results.Tuned) (Picture, error) { return draw(tuningSpec(t), true, 0, nil), nil }

// Path draws the accuracy, or R² for a quantity, over the number of features,
// as Tuning does.
func Path(t results.Tuned) (Picture, error) { return draw(pathSpec(t), true, 0, nil), nil }

// Sweep draws the accuracy, or R² for a quantity, over the values of one key:
// the mean over seeds with its 95 % interval, and a dot for each seed.
func Sweep(t results.Tuned) (Picture, error) { return draw(sweepSpec(t), true, 0, nil), nil }

// tuningSpec draws a band for each combination, in the order of the result,
// with best and chosen marked at the right edge.
func tuningSpec(result results.Tuned) spec.Spec {
	t := tuning{result}
	shown := t.shown()
	p := spec.Panel{Width: 340, X: t.scale(t.caption("mean ± one standard error"), shown), Y: spec.Axis{Bands: []string{}}}
	marks := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Bold: true, Shift: 10}

	for band, i := range shown {
		p.Y.Bands = append(p.Y.Bands, words.Shorten(pointName(t.Points[i]), 48))
		if mark := t.mark(i); mark != "" {
			marks.Data = append(marks.Data, spec.Datum{X: p.X.High, Y: float64(band), Text: mark})
		}
	}

	p.Layers = append(append([]spec.Layer{t.threshold(false)}, t.estimates(shown, p.X, false)...), marks)
	return t.spec(t.title("Tuning"), shown, p)
}

// pathSpec draws the scores over k, one point for each k.
func pathSpec(result results.Tuned) spec.Spec {
	t := tuning{result}
	return t.curve(t.title("Path"), "mean ± one standard error", "k: the first features of one training",
		func(p results.Point) string { return strconv.Itoa(p.K) })
}

// sweepSpec draws the scores over the values of the key. If any point has an
// interval over seeds, the caption explains seeds. Otherwise it explains
// standard errors.
func sweepSpec(result results.Tuned) spec.Spec {
	t := tuning{result}
	what := "mean ± one standard error"
	if slices.ContainsFunc(t.Points, func(p results.Point) bool { return p.Interval != nil }) {
		what = "mean over seeds with its 95 % interval; a grey dot is a seed"
	}
	return t.curve(t.sweepTitle(), what, t.swept(), func(p results.Point) string { return words.Shorten(words.Plain(value(p)), 24) })
}

// curve draws the points upright at equal distances, joined by a line if all
// their values are numbers. label names a point below its mark.
func (t tuning) curve(title, what, along string, label func(results.Point) string) spec.Spec {
	shown, numbers := t.inOrder()
	p := spec.Panel{Width: max(56*float64(len(shown)), 420), Height: 220, X: spec.Axis{Title: along, Bands: []string{}},
		Y: t.scale(t.judgeName(), shown)}

	line := spec.Layer{Mark: spec.Line, Colour: spec.Blue, Size: 1}
	marks := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Bold: true, Shift: 8}

	const abreast = 4 // seeds next to the interval, in their order, so that you can tell equal scores apart
	seeds := make([]spec.Layer, abreast)
	for aside := range seeds {
		seeds[aside] = spec.Layer{Mark: spec.Point, Colour: spec.Grey, Size: 2, Shift: 10 + 4*float64(aside),
			Tips: []string{"settings", "seed", t.Metric.Name()}}
	}

	for band, i := range shown {
		point, x := t.Points[i], float64(band)
		p.X.Bands = append(p.X.Bands, label(point))

		mean, _, high := reach(point)
		if numbers { // points that aren't numbers aren't joined
			line.Data = append(line.Data, spec.Datum{X: x, Y: mean})
		}

		if mark := t.mark(i); mark != "" {
			marks.Data = append(marks.Data, spec.Datum{X: x, Y: min(high, p.Y.High), Text: mark})
		}

		for j, s := range point.BySeed {
			l := &seeds[j%abreast]
			l.Data = append(l.Data, spec.Datum{X: x, Y: s.Score, Tips: []any{pointName(point), s.Seed, spec.Round(s.Score)}})
		}
	}

	p.Layers = append([]spec.Layer{t.threshold(true), line}, t.estimates(shown, p.Y, true)...)
	p.Layers = append(append(p.Layers, seeds...), marks)

	s := t.spec(title, shown, p)
	s.Subtitle = append(s.Subtitle, t.caption(what))
	return s
}

// reach returns the centre and the ends of a point's mark. If the point has an
// interval over seeds, it returns that. Otherwise it returns the mean over
// folds and one standard error on either side. The point must have a score.
func reach(p results.Point) (mean, low, high float64) {
	if low, high, ok := p.Interval.Interval(); ok {
		return (low + high) / 2, low, high
	}
	return p.Score.Mean, p.Score.Mean - p.Score.SE, p.Score.Mean + p.Score.SE
}

// shown returns the indices of the points to draw, ascending. These are all
// points with a score or, if there are more than mostRows, the marked and the
// best ones.
func (t tuning) shown() (list []int) {
	for i, p := range t.Points {
		if p.Score != nil {
			list = append(list, i)
		}
	}
	if len(list) > mostRows {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Or(-cmp.Compare(len(t.mark(a)), len(t.mark(b))), -cmp.Compare(t.Points[a].Score.Mean, t.Points[b].Score.Mean))
		})
		list = slices.Sorted(slices.Values(list[:mostRows]))
	}
	return list
}

// inOrder returns the indices of the points to draw. If every value is a single
// number, numbers is true and the points are sorted by it.
func (t tuning) inOrder() (shown []int, numbers bool) {
	shown = t.shown()
	values := make([]float64, len(t.Points))
	for _, i := range shown {
		var err error
		if values[i], err = strconv.ParseFloat(value(t.Points[i]), 64); err != nil || len(t.Points[i].Settings) != 1 {
			return shown, false
		}
	}

	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return shown, true
}

// Series of a tuning.
const chosen, others = "chosen", "others"

// estimates draws the scores of the shown points, each in the band of its
// position in shown. upright says that scores are on the vertical axis.
func (t tuning) estimates(shown []int, along spec.Axis, upright bool) []spec.Layer {
	tips := []string{"settings", t.Metric.Name(), "standard error", "to the best", "mark"}
	if t.Seeds > 0 {
		tips = append(tips, "95 % over seeds")
	}

	var list []estimate
	for band, i := range shown {
		p := t.Points[i]
		e := estimate{band: band, series: others}
		if t.Chosen != nil && *t.Chosen == i {
			e.series = chosen
		}

		e.mean, e.low, e.high = reach(p)
		e.tips = []any{pointName(p), words.Fixed(e.mean, 3), words.Fixed(p.Score.SE, 3), estimateText(p.Difference, "%+.3f"), cmp.Or(t.mark(i), "-")}
		if t.Seeds > 0 {
			e.tips = append(e.tips, intervalText(p.Interval, t.Metric))
		}

		list = append(list, e)
	}
	return estimates(list, along, upright, tips...)
}

// scale returns an axis that holds the scores with their errors. Apart from the
// room at its ends, it stops at 1 and, for accuracies, doesn't start below 0.
func (t tuning) scale(title string, shown []int) spec.Axis {
	low, high := 1.0, 0.0
	for _, i := range shown {
		_, from, to := reach(t.Points[i])
		low, high = min(low, from), max(high, to)
		for _, s := range t.Points[i].BySeed {
			low, high = min(low, s.Score), max(high, s.Score)
		}
	}

	return scoreAxis(title, low, high, scoreFloor(t.Metric))
}

// spec returns the chart of a panel. shown lists the points that are drawn. If
// that isn't all, the subtitle counts them. The chosen point has a different
// colour.
func (t tuning) spec(title string, shown []int, p spec.Panel) spec.Spec {
	how := t.judging()
	if n := len(t.Points); len(shown) < n {
		how += "; " + strconv.Itoa(len(shown)) + " of " + phrase.Count(n, "combination") + " are drawn"
	}

	p.Series, p.NoLegend = []spec.Series{{Name: chosen, Colour: spec.Vermillion}, {Name: others, Colour: spec.Blue}}, true
	return spec.Spec{Title: title, Subtitle: []string{how, t.outcome()}, Rows: [][]spec.Panel{{p}}, Alt: t.alt(title)}
}

// threshold returns the line one standard error below the best. It is empty if
// no threshold is known. upright says that scores are on the vertical axis.
func (t tuning) threshold(upright bool) spec.Layer {
	l := spec.Layer{Mark: spec.Rule, Colour: spec.Grey, Size: 1, Dashed: true, Tips: []string{"one standard error below the best"}}
	if t.Threshold != nil {
		d := spec.Datum{X: *t.Threshold, X2: *t.Threshold, Y: math.NaN(), Tips: []any{spec.Round(*t.Threshold)}}
		if upright {
			d.X, d.Y, d.Y2 = math.NaN(), *t.Threshold, *t.Threshold
		}
		l.Data = []spec.Datum{d}
	}
	return l
}

// caption describes what is drawn along an axis.
func (t tuning) caption(what string) string {
	if t.Threshold != nil {
		what += "; dashed: the best less one standard error"
	}
	return t.judgeName() + ": " + what
}
