package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/internal/count"
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
