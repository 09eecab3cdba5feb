package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Tuned is what the combinations of a grid reach, or the numbers of features of a path: the object of fsnet tune --json and fsnet path
// --json.
type Tuned struct {
	Dataset   string         `json:"dataset"`
	Task      string         `json:"task"` // regression where the label is a quantity: R² then stands where accuracies do
	Rows      int            `json:"rows"` // training rows
	Folds     int            `json:"folds"`
	Repeats   int            `json:"repeats"`
	Judge     string         `json:"judge"` // own · svm, of a quantity own · kernel-ridge
	Seeds     int            `json:"seeds"` // of a sweep, each with folds of its own; 0 of a tuning or a path
	Planned   int            `json:"planned"`
	Done      int            `json:"done"`
	Points    []TunedPoint   `json:"points"`
	Best      *int           `json:"best"`   // of Points; nil while rows are missing
	Chosen    *int           `json:"chosen"` // by the rule of one standard error
	Threshold *float64       `json:"threshold"`
	Command   string         `json:"command"` // that goes on with the choice
	Magic     string         `json:"magic"`   // the same in a notebook
	Selected  []TunedFeature `json:"selected"`
}

// TunedPoint is a combination.
type TunedPoint struct {
	Settings []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	} `json:"settings"`
	K          int            `json:"k"`
	Folds      int            `json:"folds"`
	Failed     int            `json:"failed"`
	Accuracy   *TunedEstimate `json:"accuracy"` // by the judge
	Own        *TunedEstimate `json:"own"`
	SVM        *TunedEstimate `json:"svm"`
	Difference *TunedEstimate `json:"difference"` // to the best
	BySeed     []TunedSeed    `json:"by_seed"`    // of a sweep: those whose folds are done
	Interval   *TunedInterval `json:"interval"`   // of their mean; nil of fewer than two

	R2            *TunedEstimate `json:"r2"` // of a quantity, in the places of Accuracy, Own and SVM
	R2Own         *TunedEstimate `json:"r2_own"`
	R2KernelRidge *TunedEstimate `json:"r2_kernel_ridge"`
}

// TunedEstimate is a mean over held-out folds with its standard error.
type TunedEstimate struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// TunedSeed is the accuracy over all folds of a seed, or of a quantity R².
type TunedSeed struct {
	Seed     int64    `json:"seed"`
	Accuracy float64  `json:"accuracy"`
	R2       *float64 `json:"r2"`
}

// TunedInterval is a 95 % interval.
type TunedInterval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// TunedFeature is a feature of a path.
type TunedFeature struct {
	Rank        int     `json:"rank"`
	Name        string  `json:"name"`
	Enters      int     `json:"enters"` // the smallest k of the path that has it
	Probability float64 `json:"probability"`
}

// name is the settings of a combination.
func (p TunedPoint) name() string {
	list := make([]string, len(p.Settings))
	for i, s := range p.Settings {
		list[i] = s.Key + "=" + s.Value
	}
	return words.Plain(strings.Join(list, " "))
}

// value is that of the key of a sweep.
func (p TunedPoint) value() string {
	if len(p.Settings) != 1 {
		return p.name()
	}
	return p.Settings[0].Value
}

// figure is what the judge says; nil where there are no figures.
func (p TunedPoint) figure() *TunedEstimate { return cmp.Or(p.Accuracy, p.R2) }

func (s TunedSeed) figure() float64 {
	if s.R2 != nil {
		return *s.R2
	}
	return s.Accuracy
}

func (e *TunedEstimate) text(format string) string {
	if e == nil {
		return "-"
	}
	return fmt.Sprintf(format, math.Round(1000*e.Mean)/1000+0) + " ± " + words.Fixed(e.SE, 3) // + 0: no −0.000
}

// interval is written as far as figures go: to 1, and from 0 where they are accuracies.
func (p TunedPoint) interval() string {
	if p.Interval == nil {
		return "-"
	}
	low := p.Interval.Low
	if p.R2 == nil {
		low = max(low, 0)
	}
	return words.Fixed(low, 3) + " to " + words.Fixed(min(p.Interval.High, 1), 3)
}

// mark is what a point is among all.
func (t Tuned) mark(i int) string {
	var words []string
	if t.Best != nil && *t.Best == i {
		words = append(words, "best")
	}
	if t.Chosen != nil && *t.Chosen == i {
		words = append(words, "chosen")
	}
	return strings.Join(words, ", ")
}

// quantity is whether the label is one.
func (t Tuned) quantity() bool { return t.Task == "regression" }

// measure is what figures are.
func (t Tuned) measure() string {
	if t.quantity() {
		return "R²"
	}
	return "accuracy"
}

// beside is the figure of the judge that is not the own network.
func (t Tuned) beside() string {
	if t.quantity() {
		return "kernel ridge's R²"
	}
	return "SVM accuracy"
}

func (t Tuned) judged() string {
	if t.Judge == "svm" || t.Judge == "kernel-ridge" {
		return t.beside()
	}
	return t.measure() + " of the own network"
}

// title names what was done with the data.
func (t Tuned) title(what string) string { return what + " on " + words.Plain(t.Dataset) }

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

func (t Tuned) how() string {
	text := fmt.Sprintf("%s on held-out folds of the %s, %s", t.judged(), phrase.Count(t.Rows, "training row"), phrase.Count(t.Folds, "fold"))
	if t.Seeds > 0 {
		return text + ", " + phrase.Count(t.Seeds, "seed")
	}
	if t.Repeats > 1 {
		text += ", " + phrase.Count(t.Repeats, "repeat")
	}
	return text
}

// outcome says what was chosen and why, in one line.
func (t Tuned) outcome() string {
	switch {
	case t.Done < t.Planned:
		return fmt.Sprintf("%d of %s are done: nothing is chosen yet", t.Done, phrase.Count(t.Planned, "fit"))
	case t.Best == nil || t.Chosen == nil || *t.Best >= len(t.Points) || *t.Chosen >= len(t.Points):
		return "nothing is chosen: everything failed on a fold"
	}
	best, chosen := t.Points[*t.Best], t.Points[*t.Chosen]
	if *t.Best == *t.Chosen {
		return fmt.Sprintf("chosen: %s, the best (%s); nothing simpler is within one standard error", chosen.name(), best.figure().text("%.3f"))
	}
	return fmt.Sprintf("chosen: %s (%s), the simplest within one standard error of the best, %s (%s)", chosen.name(),
		chosen.figure().text("%.3f"), best.name(), best.figure().text("%.3f"))
}

func (t Tuned) alt(title string) string { return title + ": " + t.outcome() + "." }

// TuningTable is the figures of all combinations as a table, with the choice and how to go on with it.
func TuningTable(t Tuned) Picture {
	list := words.Table{{Title: "settings"}, {Title: "folds", Right: true}, {Title: "own " + t.measure() + " ± SE", Right: true},
		{Title: t.beside() + " ± SE", Right: true}, {Title: "to the best ± SE", Right: true}, {Title: "mark"}}
	over := words.Column{Title: "95 % over seeds", Right: true}
	for i, p := range t.Points {
		folds := strconv.Itoa(p.Folds)
		if p.Failed > 0 {
			folds += fmt.Sprintf(" (%d failed)", p.Failed)
		}
		list.Add(p.name(), folds, cmp.Or(p.Own, p.R2Own).text("%.3f"), cmp.Or(p.SVM, p.R2KernelRidge).text("%.3f"), p.Difference.text("%+.3f"),
			t.mark(i))
		over.Cells = append(over.Cells, p.interval())
	}
	if t.Seeds == 0 {
		return t.report(t.title("Tuning"), t.how(), list)
	}
	return t.report(t.sweepTitle(), t.how(), slices.Insert(list, 2, over))
}

// PathTable is which feature enters at which k, in the order of the path.
func PathTable(t Tuned) Picture {
	list := words.Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}, {Title: "enters at k", Right: true},
		{Title: "probability", Right: true}}
	for _, f := range t.Selected {
		list.Add(strconv.Itoa(f.Rank), f.Name, strconv.Itoa(f.Enters), words.Chance(f.Probability))
	}
	return t.report(t.title("Path"), "one training with the largest k; a smaller k takes the first of its features", list)
}

func (t Tuned) report(title, how string, list words.Table) Picture {
	caution := "The " + t.measure() + " of the best of many is too high, because chance helped it: one look at the test rows says what the " +
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

// Tuning draws the mean accuracy, or of a quantity R², of every combination of a grid with one standard error to both sides. The best and
// the chosen one are marked, and a line stands one standard error below the best. Of very many the best are drawn.
func Tuning(t Tuned) (Picture, error) { return draw(tuningSpec(t), true, 0, nil) }

// Path draws the accuracy, or of a quantity R², over the number of features, in the way of Tuning.
func Path(t Tuned) (Picture, error) { return draw(pathSpec(t), true, 0, nil) }

// Sweep draws the accuracy, or of a quantity R², over the values of one key: the mean over seeds with its 95 % interval, and a dot for each
// seed.
func Sweep(t Tuned) (Picture, error) { return draw(sweepSpec(t), true, 0, nil) }

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
	p.Layers = append(append([]spec.Layer{t.threshold(false)}, t.estimates(shown, p.X, false)...), marks)
	return t.spec(t.title("Tuning"), shown, p)
}

func pathSpec(t Tuned) spec.Spec {
	return t.curve(t.title("Path"), "mean ± one standard error", "k: the first features of one training",
		func(p TunedPoint) string { return strconv.Itoa(p.K) })
}

func sweepSpec(t Tuned) spec.Spec {
	what := "mean ± one standard error"
	if slices.ContainsFunc(t.Points, func(p TunedPoint) bool { return p.Interval != nil }) {
		what = "mean over seeds with its 95 % interval; a grey dot is a seed"
	}
	return t.curve(t.sweepTitle(), what, t.swept(), func(p TunedPoint) string { return words.Shorten(words.Plain(p.value()), 24) })
}

// curve draws figures over values, which stand at equal distances.
func (t Tuned) curve(title, what, along string, label func(TunedPoint) string) spec.Spec {
	shown, numbers := t.inOrder()
	p := spec.Panel{Width: max(56*float64(len(shown)), 420), Height: 220, X: spec.Axis{Title: along, Bands: []string{}},
		Y: t.scale(t.judged(), shown)}
	line := spec.Layer{Mark: spec.Line, Colour: spec.Blue, Size: 1}
	marks := spec.Layer{Mark: spec.Text, Colour: spec.Ink, Bold: true, Shift: 8}
	const abreast = 4 // seeds beside the interval, in their order, so that equal ones are told apart
	seeds := make([]spec.Layer, abreast)
	for aside := range seeds {
		seeds[aside] = spec.Layer{Mark: spec.Point, Colour: spec.Grey, Size: 2, Shift: 10 + 4*float64(aside),
			Tips: []string{"settings", "seed", t.measure()}}
	}
	for band, i := range shown {
		point, x := t.Points[i], float64(band)
		p.X.Bands = append(p.X.Bands, label(point))
		mean, _, high := point.reach()
		if numbers { // what is no number has nothing between
			line.Data = append(line.Data, spec.Datum{X: x, Y: mean})
		}
		if mark := t.mark(i); mark != "" {
			marks.Data = append(marks.Data, spec.Datum{X: x, Y: min(high, p.Y.High), Text: mark})
		}
		for j, one := range point.BySeed {
			l := &seeds[j%abreast]
			l.Data = append(l.Data, spec.Datum{X: x, Y: one.figure(), Tips: []any{point.name(), one.Seed, spec.Rounded(one.figure())}})
		}
	}
	p.Layers = append([]spec.Layer{t.threshold(true), line}, t.estimates(shown, p.Y, true)...)
	p.Layers = append(append(p.Layers, seeds...), marks)
	s := t.spec(title, shown, p)
	s.Subtitle = append(s.Subtitle, t.caption(what))
	return s
}

// reach is a mean and the ends of what is drawn about it: over seeds where there are some, else over folds.
func (p TunedPoint) reach() (mean, low, high float64) {
	if i := p.Interval; i != nil {
		return (i.Low + i.High) / 2, i.Low, i.High
	}
	a := p.figure()
	return a.Mean, a.Mean - a.SE, a.Mean + a.SE
}

// shown are the points that are drawn: those with figures, in their order, of very many the best.
func (t Tuned) shown() (list []int) {
	for i, p := range t.Points {
		if p.figure() != nil {
			list = append(list, i)
		}
	}
	if len(list) > mostRows {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Or(-cmp.Compare(len(t.mark(a)), len(t.mark(b))), -cmp.Compare(t.Points[a].figure().Mean, t.Points[b].figure().Mean))
		})
		list = slices.Sorted(slices.Values(list[:mostRows]))
	}
	return list
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

// The series of a tuning.
const chosen, others = "chosen", "others"

// estimates are the figures of the shown points, each in its band.
func (t Tuned) estimates(shown []int, along spec.Axis, upright bool) []spec.Layer {
	tips := []string{"settings", t.measure(), "standard error", "to the best", "mark"}
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
		e.mean, e.low, e.high = p.reach()
		e.tips = []any{p.name(), words.Fixed(e.mean, 3), words.Fixed(p.figure().SE, 3), p.Difference.text("%+.3f"), cmp.Or(t.mark(i), "-")}
		if t.Seeds > 0 {
			e.tips = append(e.tips, p.interval())
		}
		list = append(list, e)
	}
	return estimates(list, along, upright, tips...)
}

// scale is an axis for the figures with their errors, which ends at 1, and begins at 0 or higher where they are accuracies.
func (t Tuned) scale(title string, shown []int) spec.Axis {
	low, high, least := 1.0, 0.0, math.Inf(-1)
	for _, i := range shown {
		_, from, to := t.Points[i].reach()
		low, high = min(low, from), max(high, to)
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
		how += "; " + strconv.Itoa(len(shown)) + " of " + phrase.Count(n, "combination") + " are drawn"
	}
	p.Series, p.NoLegend = []spec.Series{{Name: chosen, Colour: spec.Vermillion}, {Name: others, Colour: spec.Blue}}, true
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
