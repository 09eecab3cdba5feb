package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
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

// figure is what the judge says; nil where there are no figures.
func (p TunedPoint) figure() *TunedEstimate { return cmp.Or(p.Accuracy, p.R2) }

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

func (s TunedSeed) figure() float64 {
	if s.R2 != nil {
		return *s.R2
	}
	return s.Accuracy
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

func (e *TunedEstimate) text(format string) string {
	if e == nil {
		return "-"
	}
	return fmt.Sprintf(format, math.Round(1000*e.Mean)/1000+0) + " ± " + words.Fixed(e.SE, 3) // + 0: no −0.000
}

func (p TunedPoint) interval() string {
	if p.Interval == nil {
		return "-"
	}
	low, high := p.within()
	return words.Fixed(low, 3) + " to " + words.Fixed(high, 3)
}

// within is the interval as far as figures go: to 1, and from 0 where they are accuracies.
func (p TunedPoint) within() (low, high float64) {
	if low = p.Interval.Low; p.R2 == nil {
		low = max(low, 0)
	}
	return low, min(p.Interval.High, 1)
}

func (p TunedPoint) name() string {
	list := make([]string, len(p.Settings))
	for i, s := range p.Settings {
		list[i] = s.Key + "=" + s.Value
	}
	return words.Plain(strings.Join(list, " "))
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

func (t Tuned) how() string {
	text := fmt.Sprintf("%s on held-out folds of the %s, %s", t.judged(), count.Of(t.Rows, "training row"), count.Of(t.Folds, "fold"))
	if t.Seeds > 0 {
		return text + ", " + count.Of(t.Seeds, "seed")
	}
	if t.Repeats > 1 {
		text += ", " + count.Of(t.Repeats, "repeat")
	}
	return text
}

// outcome says what was chosen and why, in one line.
func (t Tuned) outcome() string {
	switch {
	case t.Done < t.Planned:
		return fmt.Sprintf("%d of %s are done: nothing is chosen yet", t.Done, count.Of(t.Planned, "fit"))
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

func (t Tuned) caution() string {
	return "The " + t.measure() + " of the best of many is too high, because chance helped it: one look at the test rows says what the " +
		"choice is worth."
}

// goOn is how a reader goes on with the choice.
func (t Tuned) goOn() []string {
	if t.Command == "" {
		return nil
	}
	return []string{t.Command, t.Magic}
}

// TuningTable is the figures of all combinations as a table, with the choice and how to go on with it.
func TuningTable(t Tuned) Picture {
	list := Table{{Title: "settings"}, {Title: "folds", Right: true}, {Title: "own " + t.measure() + " ± SE", Right: true},
		{Title: t.beside() + " ± SE", Right: true}, {Title: "to the best ± SE", Right: true}, {Title: "mark"}}
	for i, p := range t.Points {
		folds := strconv.Itoa(p.Folds)
		if p.Failed > 0 {
			folds += fmt.Sprintf(" (%d failed)", p.Failed)
		}
		list.Add(p.name(), folds, cmp.Or(p.Own, p.R2Own).text("%.3f"), cmp.Or(p.SVM, p.R2KernelRidge).text("%.3f"), p.Difference.text("%+.3f"),
			t.mark(i))
	}
	if t.Seeds == 0 {
		return t.report(t.title("Tuning"), t.how(), list)
	}
	over := Column{Title: "95 % over seeds", Right: true}
	for _, p := range t.Points {
		over.Cells = append(over.Cells, p.interval())
	}
	return t.report(t.sweepTitle(), t.how(), slices.Insert(list, 2, over))
}

// PathTable is which feature enters at which k, in the order of the path.
func PathTable(t Tuned) Picture {
	list := Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}, {Title: "enters at k", Right: true},
		{Title: "probability", Right: true}}
	for _, f := range t.Selected {
		list.Add(strconv.Itoa(f.Rank), f.Name, strconv.Itoa(f.Enters), words.Chance(f.Probability))
	}
	return t.report(t.title("Path"), "one training with the largest k; a smaller k takes the first of its features", list)
}

func (t Tuned) report(title, how string, list Table) Picture {
	page, text := "<div><b>"+words.Escape(title)+"</b><div>"+words.Escape(how)+"</div>", title+"\n"+how+"\n"
	if len(list[0].Cells) > 0 {
		page, text = page+list.HTML(0), text+list.Text(0, 0)
	}
	page, text = page+"<div>"+words.Escape(t.outcome())+"</div>", text+words.Plain(t.outcome())+"\n"
	for _, line := range t.goOn() {
		page, text = page+"<div><code>"+words.Escape(line)+"</code></div>", text+"  "+words.Plain(line)+"\n"
	}
	return Picture{HTML: page + "<small>" + t.caution() + "</small></div>", Text: text + t.caution() + "\n",
		Alt: title + ": " + t.outcome() + "."}
}

// Tuning draws the mean accuracy, or of a quantity R², of every combination of a grid with one standard error to both sides. The best and
// the chosen one are marked, and a line stands one standard error below the best. Of very many the best are drawn.
func Tuning(t Tuned) (Picture, error) {
	return draw(tuningSpec(t), true, 0, nil)
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

// Path draws the accuracy, or of a quantity R², over the number of features, in the way of Tuning.
func Path(t Tuned) (Picture, error) {
	return draw(pathSpec(t), true, 0, nil)
}

// Sweep draws the accuracy, or of a quantity R², over the values of one key: the mean over seeds with its 95 % interval, and a dot for each
// seed.
func Sweep(t Tuned) (Picture, error) {
	return draw(sweepSpec(t), true, 0, nil)
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
