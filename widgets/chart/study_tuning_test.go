package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fsnetlab/widgets/chart/spec"
)

// tuned is a sample of so many numbers of features and values of λ, the accuracies rising and falling again.
func tuned(ks []int, lambdas ...string) Tuned {
	t := Tuned{
		Dataset: "<b>cohort", Rows: 36, Folds: 5, Repeats: 2, Judge: "own",
		Command: "fsnet fit cohort.csv --k 10 --lambda 0", Magic: "%fsnet open tuned data=cohort.csv k=10 lambda=0",
	}
	for i, k := range ks {
		for j, lambda := range lambdas {
			mean := 0.72 + 0.18*float64(i+1)/float64(len(ks)) - 0.05*float64(i*i)/float64(len(ks)*len(ks)) - 0.01*float64(j)
			p := TunedPoint{
				K: k, Folds: 10, Accuracy: &TunedEstimate{mean, 0.05}, Own: &TunedEstimate{mean, 0.05},
				SVM: &TunedEstimate{mean - 0.02, 0.03}, Difference: &TunedEstimate{-0.1, 0.02},
			}
			text := fmt.Sprintf(`{"settings": [{"key": "k", "value": "%d"}, {"key": "lambda", "value": "%s"}]}`, k, lambda)
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				panic(err)
			}
			t.Points = append(t.Points, p)
		}
	}
	t.Planned, t.Done = 10*len(t.Points), 10*len(t.Points)
	best := 0
	for i, p := range t.Points {
		if p.Accuracy.Mean > t.Points[best].Accuracy.Mean {
			best = i
		}
	}
	t.Best, t.Threshold = &best, new(t.Points[best].Accuracy.Mean-0.05)
	for i, p := range t.Points {
		if t.Chosen == nil && p.Accuracy.Mean >= *t.Threshold {
			t.Chosen = new(i)
		}
	}
	return t
}

func tunings() map[string]Tuned {
	half := tuned([]int{5, 10}, "0", "1")
	half.Done, half.Best, half.Chosen, half.Threshold, half.Command, half.Points[3] = 30, nil, nil, nil, "", TunedPoint{K: 10}
	failed := tuned([]int{5, 10}, "0", "1")
	failed.Best, failed.Chosen, failed.Threshold, failed.Command = nil, nil, nil, ""
	for i := range failed.Points {
		failed.Points[i].Accuracy, failed.Points[i].Failed, failed.Points[i].Folds = nil, 10, 0
	}
	var ks []int
	for k := range 50 {
		ks = append(ks, k+1)
	}
	return map[string]Tuned{"six": tuned([]int{5, 10, 20}, "0", "1"), "half": half, "failed": failed, "many": tuned(ks, "0", "0.5", "1")}
}

func paths() map[string]Tuned {
	four := tuned([]int{5, 10, 20, 50}, "0")
	four.Judge = "svm"
	for i := range four.Points {
		four.Points[i].Settings = four.Points[i].Settings[:1]
		four.Points[i].Own = nil
	}
	four.Selected = []TunedFeature{{1, "zyxin", 5, 0.99}, {2, "<i>CD33", 10, 0.4}}
	alone := four
	alone.Points, alone.Best, alone.Chosen = four.Points[:1], new(0), new(0)
	return map[string]Tuned{"four": four, "one": alone}
}

// sweeps are those of k and of a key whose values are no numbers, of which some are high enough that an interval is cut.
func sweeps() map[string]Tuned {
	with := func(t Tuned, seeds int) Tuned {
		t.Seeds, t.Repeats = seeds, seeds
		for i := range t.Points {
			p := &t.Points[i]
			if p.Folds = 5 * seeds; seeds > 1 {
				p.Interval = &TunedInterval{p.Accuracy.Mean - 0.04, p.Accuracy.Mean + 0.04}
			}
			for s := range seeds {
				p.BySeed = append(p.BySeed, TunedSeed{Seed: int64(s + 1), Accuracy: p.Accuracy.Mean + 0.02*float64(s%3-1)})
			}
		}
		return t
	}
	k := tuned([]int{5, 10, 20, 50}, "0")
	for i := range k.Points {
		k.Points[i].Settings = k.Points[i].Settings[:1]
	}
	half := tuned([]int{10}, "1", "0", "0.1") // as it was written: a curve has its numbers in their order
	words := tuned([]int{10}, "exponential", "points:0=10,0.5=1,1=0.01", "hold:0.2")
	for _, t := range []Tuned{half, words} {
		for i := range t.Points {
			t.Points[i].Settings = t.Points[i].Settings[1:]
			if t.Points[i].Accuracy.Mean += 0.07; len(t.Points) == 3 {
				t.Points[i].Settings[0].Key = map[bool]string{true: "lambda", false: "schedule"}[t.Points[0].Settings[0].Value == "1"]
			}
		}
	}
	*words.Threshold += 0.07
	half.Done, half.Best, half.Chosen, half.Threshold, half.Command = 14, nil, nil, nil, ""
	return map[string]Tuned{"k": with(k, 3), "half": with(half, 2), "words": with(words, 5)}
}

// The curve goes through the means from the left to the right, in the order of the numbers; beside each is a dot for each seed.
func TestSweepShowsItsSeeds(t *testing.T) {
	c := sweeps()["k"]
	slices.Reverse(c.Points)
	c.Best, c.Chosen = nil, nil
	var means, seeds []float64
	for _, d := range marksOf(sweepSpec(c), spec.Point) {
		if d.Series == others {
			means = append(means, d.X)
		} else {
			seeds = append(seeds, d.Y)
		}
	}
	if len(means) != 4 || !slices.IsSorted(means) || len(seeds) != 12 {
		t.Fatalf("means at %v, %d seeds", means, len(seeds))
	}
	if p, err := Sweep(c); err != nil || strings.Index(p.Text, "k=5 ") > strings.Index(p.Text, "k=50 ") ||
		!strings.Contains(p.Text, "5 folds, 3 seeds") {
		t.Errorf("%v\n%s", err, p.Text)
	}
}

// Every combination stands where its mean is, the chosen one in another colour, the limit one standard error below the best; words say
// which they are. The terminal's picture says the same.
func TestTuningShowsItsPoints(t *testing.T) {
	c := tunings()["six"]
	p, err := Tuning(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range marksOf(tuningSpec(c), spec.Point) {
		if (d.Series == chosen) != (i == *c.Chosen) || d.X != c.Points[i].Accuracy.Mean {
			t.Errorf("point %d of %s stands at %g", i, d.Series, d.X)
		}
	}
	for _, want := range []string{
		"Tuning on <b>cohort", "accuracy of the own network on held-out folds of the 36 training rows, 5 folds, 2 repeats",
		"k=10 lambda=1", "chosen: k=10 lambda=0 (", "the simplest within one standard error of the best, k=20 lambda=0",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in\n%s", want, p.Text)
		}
	}
	if many, err := Tuning(tunings()["many"]); err != nil || !strings.Contains(string(many.SVG()), "60 of 150 combinations are drawn") {
		t.Errorf("of many: %v", err)
	}
}

func TestTuningTables(t *testing.T) {
	p := TuningTable(tunings()["six"])
	for _, want := range []string{
		"k=5 lambda=0", " ± 0.050", "-0.100 ± 0.020", "chosen", "fsnet fit cohort.csv --k 10 --lambda 0",
		"%fsnet open tuned data=cohort.csv k=10 lambda=0", "one look at the test rows",
	} {
		if !strings.Contains(p.HTML, want) || !strings.Contains(p.Text, want) {
			t.Errorf("no %q in\n%s\n%s", want, p.Text, p.HTML)
		}
	}
	path := PathTable(paths()["four"])
	if strings.Contains(path.HTML, "<i>CD33") || strings.Contains(p.HTML, "<b>cohort") {
		t.Error("a name is not escaped")
	}
	if !strings.Contains(path.Text, "zyxin") || !strings.Contains(path.Text, "enters at k") {
		t.Errorf("%s", path.Text)
	}
	if half := TuningTable(tunings()["half"]); !strings.Contains(half.Text, "30 of 40 fits are done: nothing is chosen yet") ||
		strings.Contains(half.Text, "fsnet fit") {
		t.Errorf("%s", half.Text)
	}
}
