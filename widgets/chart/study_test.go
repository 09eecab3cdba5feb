package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// sampleComparison is three methods, of which one failed and one has an awkward name.
func sampleComparison(t testing.TB) results.Table {
	t.Helper()
	const text = `{"dataset": "<b>cohort", "k": 10, "metric": "accuracy", "methods": [
		{"method": "fsnet", "splits": 3, "score": {"mean": 0.91, "sd": 0.04, "low": 0.8, "high": 1.02},
			"own": {"mean": 0.93, "sd": 0.05, "low": 0.8, "high": 1.06}, "seconds": {"mean": 4.5, "sd": 1}},
		{"method": "mrmr:criterion=<miq>", "splits": 3, "score": {"mean": 0.88, "sd": 0.03, "low": 0.78, "high": 0.98},
			"seconds": {"mean": 0.08, "sd": 0.01}, "against_fsnet": {"difference": -0.03, "p": 0.25}},
		{"method": "random", "splits": 3, "score": {"mean": 0.6, "sd": 0.1, "low": 0.4, "high": 0.8},
			"seconds": {"mean": 0.0, "sd": 0}, "against_fsnet": {"difference": -0.31, "p": 0.25}},
		{"method": "svm", "splits": 0, "failed": 3}],
		"ranking": {"splits": 3, "ranks": [
			{"method": "fsnet", "rank": 1.17}, {"method": "mrmr:criterion=<miq>", "rank": 1.83}, {"method": "random", "rank": 3}],
		"critical_difference": 1.91, "groups": [["fsnet", "mrmr:criterion=<miq>", "random"]], "p": 0.0755}}`
	var c results.Table
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The table has each method's figures, in text and HTML.
func TestComparisonTable_Figures(t *testing.T) {
	p := ComparisonTable(sampleComparison(t))
	for _, want := range []string{"0.910 ± 0.040", "0.800 to 1.000", "0.930 ± 0.050", "-0.310", "0 (3 failed)", "0.250", "0.001"} {
		if !strings.Contains(p.HTML, want) || !strings.Contains(p.Text, want) {
			t.Errorf("no %q in\n%s\n%s", want, p.Text, p.HTML)
		}
	}
}

// Two settings of FsNet that start alike are told apart wherever they are
// named, in a table and in both pictures.
func TestComparison_TellsSettingsApart(t *testing.T) {
	names := []string{
		"fsnet", "fsnet:protocol=paper", "fsnet:protocol=paper,epochs=400,learning_rate=0.001,lambda=0.1",
		"fsnet:protocol=paper,epochs=400,learning_rate=0.001,lambda=0.2",
	}
	c := results.Table{
		Dataset: "cohort", K: 10, Metric: session.Accuracy, Reference: "fsnet:protocol=paper",
		Ranking: &results.Ranking{Splits: 9, CriticalDifference: 1.6, Groups: [][]string{names}},
	}
	for i, name := range names {
		c.Entries = append(c.Entries, results.Entry{
			Method: name, Splits: 9, Score: &metric.Spread{Mean: 0.9, Low: new(0.8), High: new(1.0)}, Seconds: &metric.Spread{Mean: 1},
		})
		c.Ranking.Ranks = append(c.Ranking.Ranks, results.RankedMean{Method: name, Rank: 1 + float64(i)})
	}
	table := ComparisonTable(c)
	for _, name := range append(names, "against fsnet:protocol=paper") {
		if !strings.Contains(table.Text, name) || !strings.Contains(table.HTML, name) {
			t.Errorf("no %s in\n%s", name, table.Text)
		}
	}
	p, err := Comparison(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(p.VegaLite()), `"`+name+`"`) {
			t.Errorf("no mark says that it is %s", name)
		}
	}
}

// A study without figures, or with many, is drawn as far as there is room, and
// says so. Names are text.
func TestStudies_LittleAndMuch(t *testing.T) {
	many := results.Stability{Dataset: "many", Done: 40, Planned: 40}
	for range mostRows + 3 {
		many.Genes = append(many.Genes, results.Gene{Name: "<b>", Rank: 1, Seen: 1, Group: 2, Word: "replaceable"})
	}
	one := results.Entry{Method: "svm", Splits: 1, Score: &metric.Spread{Mean: 1}, Seconds: &metric.Spread{}}
	says := func(want string, p Picture, err error) {
		t.Helper()
		if err != nil || len(p.PNG()) == 0 || p.Text == "" || p.Alt == "" || !strings.Contains(string(p.SVG()), want) {
			t.Errorf("%v: no %q in %s", err, want, p.Text)
		}
	}
	for want, c := range map[string]results.Table{
		"no figures yet": {Dataset: "a", K: 1, Metric: session.Accuracy, Entries: []results.Entry{{Method: "svm", Failed: 2}}},
		"1 method":       {Dataset: "a", K: 1, Metric: session.Accuracy, Entries: []results.Entry{one}},
	} {
		p, err := Comparison(c)
		says(want, p, err)
	}
	p, err := StabilityChart(many)
	says("3 more lines in the table", p, err)
	p, err = StabilityChart(results.Stability{})
	says("training rows", p, err)
	p, err = ReplicasChart(Replicas{})
	says("How often", p, err)
	p, err = ReplicasChart(replicaSamples()["three"])
	says("2 further features chosen at most as often", p, err)
	p2, err := Tuning(tunings()["many"])
	says("60 of 150 combinations are drawn", p2, err)
	for _, html := range []string{p.HTML, StabilityTable(many).HTML, ComparisonTable(sampleComparison(t)).HTML,
		TuningTable(tunings()["six"]).HTML, PathTable(paths()["four"]).HTML} {
		if strings.Contains(html, "<b><b>") || strings.Contains(html, "<b>c") || strings.Contains(html, "<b>CD") || strings.Contains(html, "<i>") || strings.Contains(html, "<miq>") {
			t.Errorf("a name is markup: %s", html)
		}
	}
}

// rankedComparison has methods of these mean ranks, the best first.
func rankedComparison(splits int, difference float64, ranks ...float64) results.Table {
	names := []string{
		"fsnet", "mrmr:criterion=miq", "hsic-lasso", "anova", "lassonet", "svm", "l1-logistic-regression",
		"stg", "cae-supervised", "dietnet", "dnp", "random", "cae", "block-hsic-lasso",
	}
	c := results.Table{
		Dataset: "cohort", K: 10, Metric: session.Accuracy, Ranking: &results.Ranking{Splits: splits, CriticalDifference: difference, P: friedman(splits, ranks)},
	}
	for i, rank := range ranks {
		mean := 0.95 - 0.03*float64(i)
		c.Entries = append(c.Entries, results.Entry{Method: names[i], Splits: splits,
			Score: spreadOf(mean, 0.04, splits), Seconds: spreadOf(0.02*float64(1+i*i), 0.001, splits)})
		c.Ranking.Ranks = append(c.Ranking.Ranks, results.RankedMean{Method: names[i], Rank: rank})
	}
	reached := 0
	for from := range ranks { // as package compare does
		to := from + 1
		for to < len(ranks) && ranks[to]-ranks[from] < difference {
			to++
		}
		if to-from > 1 && to > reached {
			c.Ranking.Groups = append(c.Ranking.Groups, names[from:to])
		}
		reached = max(reached, to)
	}
	return c
}

// friedman is the p of Friedman's test where no split has ties.
func friedman(splits int, ranks []float64) float64 {
	n, k, squares := float64(splits), float64(len(ranks)), 0.0
	for _, rank := range ranks {
		squares += rank * rank
	}
	return distuv.ChiSquared{K: k - 1}.Survival(max(12*n/(k*(k+1))*squares-3*n*(k+1), 0))
}

// spreadOf has the interval that package compare gives to a mean over splits that halve the rows.
func spreadOf(mean, sd float64, splits int) *metric.Spread {
	n := float64(splits)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd * math.Sqrt(1/n+1)
	return &metric.Spread{Mean: mean, SD: sd, Low: new(mean - half), High: new(mean + half)}
}

func comparisons() map[string]results.Table {
	return map[string]results.Table{
		"three":    rankedComparison(3, 1.91, 1.17, 1.83, 3),
		"eight":    rankedComparison(20, 2.35, 1.9, 2.6, 3.1, 4.4, 4.9, 5.6, 6.2, 7.3),
		"fourteen": rankedComparison(20, 4.43, 2.2, 3.05, 3.4, 4.9, 5.1, 6.4, 7.2, 7.3, 8.6, 9.2, 10.4, 11.1, 12.6, 13.55),
		"ties":     rankedComparison(2, 7.42, 1.5, 1.5, 4.5, 4.5, 4.5, 4.5, 7.5, 7.5),
	}
}

// Whatever the ranks, neighbours that can't be told apart have a bar, and bars
// in one lane don't touch.
func TestRankBars_Neighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := comparisons()
	for i := range 500 {
		ranks := make([]float64, 2+random.IntN(13))
		for j := range ranks {
			ranks[j] = 1 + float64(random.IntN(4*len(ranks)-3))/4 // many of them equal
		}
		slices.Sort(ranks)
		all[fmt.Sprint("random ", i)] = rankedComparison(5, 0.5+3*random.Float64(), ranks...)
	}
	for name, c := range all {
		bars := rankPanels(c.Ranking, nil)[1].Layers[0].Data
		bound, taken := map[int]int{}, map[[2]float64]bool{}
		for _, d := range bars {
			bound[d.Course]++
			if at := [2]float64{d.X, d.Y}; taken[at] {
				t.Errorf("%s: two bars at %v", name, at)
			}
			taken[[2]float64{d.X, d.Y}] = true
		}
		for i, group := range c.Ranking.Groups {
			if bound[i] != len(group) {
				t.Errorf("%s: a bar over %d methods, not %v", name, bound[i], group)
			}
		}
	}
}

func estimateOf(mean, se float64) *results.Estimate { return &results.Estimate{Mean: mean, SE: se} }

// tunedSample is a sample of so many numbers of features and values of λ, the accuracies rising and falling again.
func tunedSample(ks []int, lambdas ...string) results.Tuned {
	t := results.Tuned{
		Metric:  session.Accuracy,
		Dataset: "<b>cohort", Rows: 36, Folds: 5, Repeats: 2, Judge: "own",
		Command: "fsnet fit cohort.csv --k 10 --lambda 0", Magic: "%fsnet open tuned data=cohort.csv k=10 lambda=0",
	}
	for i, k := range ks {
		for j, lambda := range lambdas {
			mean := 0.72 + 0.18*float64(i+1)/float64(len(ks)) - 0.05*float64(i*i)/float64(len(ks)*len(ks)) - 0.01*float64(j)
			p := results.Point{
				K: k, Folds: 10, Score: estimateOf(mean, 0.05), Own: estimateOf(mean, 0.05), Beside: estimateOf(mean-0.02, 0.03),
				Difference: estimateOf(-0.1, 0.02), Settings: []results.Setting{{Key: "k", Value: strconv.Itoa(k)}, {Key: "lambda", Value: lambda}},
			}
			t.Points = append(t.Points, p)
		}
	}
	t.Planned, t.Done = 10*len(t.Points), 10*len(t.Points)
	best := 0
	for i, p := range t.Points {
		if p.Score.Mean > t.Points[best].Score.Mean {
			best = i
		}
	}
	t.Best, t.Threshold = &best, new(t.Points[best].Score.Mean-0.05)
	for i, p := range t.Points {
		if t.Chosen == nil && p.Score.Mean >= *t.Threshold {
			t.Chosen = new(i)
		}
	}
	return t
}

func tunings() map[string]results.Tuned {
	half := tunedSample([]int{5, 10}, "0", "1")
	half.Done, half.Best, half.Chosen, half.Threshold, half.Command, half.Points[3] = 30, nil, nil, nil, "", results.Point{K: 10}
	failed := tunedSample([]int{5, 10}, "0", "1")
	failed.Best, failed.Chosen, failed.Threshold, failed.Command = nil, nil, nil, ""
	for i := range failed.Points {
		failed.Points[i].Score, failed.Points[i].Failed, failed.Points[i].Folds = nil, 10, 0
	}
	var ks []int
	for k := range 50 {
		ks = append(ks, k+1)
	}
	return map[string]results.Tuned{"six": tunedSample([]int{5, 10, 20}, "0", "1"), "half": half, "failed": failed, "many": tunedSample(ks, "0", "0.5", "1")}
}

func paths() map[string]results.Tuned {
	four := tunedSample([]int{5, 10, 20, 50}, "0")
	four.Judge = "svm"
	for i := range four.Points {
		four.Points[i].Settings = four.Points[i].Settings[:1]
		four.Points[i].Own = nil
	}
	four.Selected = []results.PathFeature{{Rank: 1, Name: "zyxin", Enters: 5, Probability: 0.99},
		{Rank: 2, Name: "<i>CD33", Enters: 10, Probability: 0.4}}
	alone := four
	alone.Points, alone.Best, alone.Chosen = four.Points[:1], new(0), new(0)
	return map[string]results.Tuned{"four": four, "one": alone}
}

// sweeps are those of k and of a key whose values are no numbers, of which some are high enough that an interval is cut.
func sweeps() map[string]results.Tuned {
	with := func(t results.Tuned, seeds int) results.Tuned {
		t.Seeds, t.Repeats = seeds, seeds
		for i := range t.Points {
			p := &t.Points[i]
			if p.Folds = 5 * seeds; seeds > 1 {
				p.Interval = &metric.Spread{Low: new(p.Score.Mean - 0.04), High: new(p.Score.Mean + 0.04)}
			}
			for s := range seeds {
				p.BySeed = append(p.BySeed, results.BySeed{Seed: int64(s + 1), Score: p.Score.Mean + 0.02*float64(s%3-1)})
			}
		}
		return t
	}
	k := tunedSample([]int{5, 10, 20, 50}, "0")
	for i := range k.Points {
		k.Points[i].Settings = k.Points[i].Settings[:1]
	}
	half := tunedSample([]int{10}, "1", "0", "0.1") // as it was written: a curve has its numbers in their order
	words := tunedSample([]int{10}, "exponential", "points:0=10,0.5=1,1=0.01", "hold:0.2")
	for _, t := range []results.Tuned{half, words} {
		for i := range t.Points {
			t.Points[i].Settings = t.Points[i].Settings[1:]
			if t.Points[i].Score.Mean += 0.07; len(t.Points) == 3 {
				t.Points[i].Settings[0].Key = map[bool]string{true: "lambda", false: "schedule"}[t.Points[0].Settings[0].Value == "1"]
			}
		}
	}
	*words.Threshold += 0.07
	half.Done, half.Best, half.Chosen, half.Threshold, half.Command = 14, nil, nil, nil, ""
	return map[string]results.Tuned{"k": with(k, 3), "half": with(half, 2), "words": with(words, 5)}
}

// The curve goes through the means from left to right, in the order of the
// numbers. Next to each mean is a dot for each seed.
func TestSweep_ShowsSeeds(t *testing.T) {
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

// The table of a tuning has each setting's figures, marks the chosen one and
// says how to fit and open it, once all fits are done.
func TestTuningTable_Figures(t *testing.T) {
	p := TuningTable(tunings()["six"])
	for _, want := range []string{
		"k=5 lambda=0", " ± 0.050", "-0.100 ± 0.020", "chosen", "fsnet fit cohort.csv --k 10 --lambda 0",
		"%fsnet open tuned data=cohort.csv k=10 lambda=0", "one look at the test rows",
	} {
		if !strings.Contains(p.HTML, want) || !strings.Contains(p.Text, want) {
			t.Errorf("no %q in\n%s\n%s", want, p.Text, p.HTML)
		}
	}
	if path := PathTable(paths()["four"]); !strings.Contains(path.Text, "zyxin") || !strings.Contains(path.Text, "enters at k") {
		t.Errorf("%s", path.Text)
	}
	if half := TuningTable(tunings()["half"]); !strings.Contains(half.Text, "30 of 40 fits are done: nothing is chosen yet") ||
		strings.Contains(half.Text, "fsnet fit") {
		t.Errorf("%s", half.Text)
	}
}

// stabilities are the cases that golden files and the conformance suite go through.
func stabilities() map[string]results.Stability {
	of := func(text string) (s results.Stability) {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		return s
	}
	return map[string]results.Stability{
		"forty": of(`{"dataset": "ALLAML", "n": 36, "half": 17, "k": 4, "planned": 40, "done": 40, "genes": [
			{"name": "X95735_at", "rank": 1, "seen": 30, "group": 32, "look_alikes": [{"name": "M27891_at", "seen": 2}], "word": "certain"},
			{"name": "M23197_at", "rank": 3, "seen": 19, "group": 22, "look_alikes": [
				{"name": "M63138_at", "seen": 4}, {"name": "L09209_s_at", "seen": 2},
				{"name": "U46499_at", "seen": 1}, {"name": "M84526_at", "seen": 1}, {"name": "M16038_at", "seen": 1}], "word": "likely"},
			{"name": "M19507_at", "rank": 0, "seen": 12, "group": 21, "look_alikes": [{"name": "M20203_s_at", "seen": 9}],
				"word": "likely", "any_of_group": true},
			{"name": "D88422_at", "rank": 2, "seen": 11, "group": 11, "look_alikes": [], "word": "a lead"},
			{"name": "U37055_rna1_s_at", "rank": 4, "seen": 0, "group": 0, "look_alikes": [], "word": "not repeated"}],
			"decoys": {"share": 0.021, "alarm": false}, "about": ["what the words mean", "<of> the decoys"]}`),
		"chance": of(`{"dataset": "shuffled", "n": 20, "half": 10, "k": 2, "planned": 20, "done": 20, "genes": [
			{"name": "ENSG00000000000000001 homologue of an uncharacterised transmembrane protein",
				"rank": 1, "seen": 6, "group": 6, "look_alikes": [], "word": "a lead"},
			{"name": "b", "rank": 2, "seen": 1, "group": 1, "look_alikes": [], "word": "not repeated"}],
			"decoys": {"share": 0.49, "alarm": true}}`),
		"few": of(`{"dataset": "<b>cohort", "n": 20, "half": 10, "k": 1, "planned": 40, "done": 3, "failed": 1, "genes": [
			{"name": "a", "rank": 1, "seen": 2, "group": 3, "look_alikes": [{"name": "c", "seen": 1}]}]}`),
	}
}

// The table has the counts, and what the result says about itself.
func TestStabilityTable_Counts(t *testing.T) {
	p := StabilityTable(stabilities()["forty"])
	for _, want := range []string{
		"the same fit on 40 half-samples of 17 of the 36 training rows\n", "*  X95735_at           30                32  certain",
		"likely, any of its group", "and 1 more", "\nwhat the words mean\n<of> the decoys\n",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is not in\n%s", want, p.Text)
		}
	}
	for _, line := range strings.Split(p.Terminal(80), "\n") {
		if words.Width(line) > 80 {
			t.Errorf("%d columns: %q", words.Width(line), line)
		}
	}
	few := StabilityTable(stabilities()["few"])
	if !strings.Contains(few.Text, "(interrupted: 40 were planned)") ||
		!strings.Contains(few.HTML, "&lt;b&gt;cohort") || strings.Contains(few.HTML+p.HTML, "<of>") {
		t.Errorf("%s\n%s", few.Text, few.HTML)
	}
}

// replicaSamples are the cases that golden files and the conformance suite go through.
func replicaSamples() map[string]Replicas {
	replicas := func(mean, sd float64, nogueira *float64, features ...results.ReplicaFeature) results.Replicas {
		r := results.Replicas{Metric: session.Accuracy, TestScore: &metric.Spread{Mean: mean, SD: sd}, Features: features}
		if nogueira != nil {
			r.Agreement = &results.Agreement{Nogueira: *nogueira}
		}
		return r
	}
	of := func(name string, selected int, rank float64) results.ReplicaFeature {
		return results.ReplicaFeature{Name: name, Selected: selected, MeanRank: rank}
	}
	many := make([]results.ReplicaFeature, 402)
	for i := range many {
		many[i] = of(fmt.Sprintf("ENSG%011d.%d", i*7919, i%9), max(1, 100-2*i), 1+float64(i)/8)
	}
	return map[string]Replicas{
		"three": {"ALLAML", 3, "seeds 1 to 20", 20, replicas(0.925, 0.04, new(0.5),
			of("X95735_at", 20, 1.2), of("M23197_at", 17, 2), of("D88422_at", 9, 2.4),
			of("M27891_at homologue of an uncharacterised transmembrane protein", 6, 2.5),
			of("<b>CD33</b>", 3, 3), of("U46499_at", 2, 3), of("L09209_s_at", 2, 3), of("M84526_at", 1, 3))},
		"one":  {"a", 1, "seed 7", 1, replicas(1, 0, nil, of("g", 1, 1))},
		"many": {"expression of a cohort with a long name", 50, "seeds 0 to 99", 100, replicas(0.612, 0.05, new(0.31), many...)},
	}
}

func frequencySamples() map[string]Frequencies {
	f := Frequencies{Dataset: "cohort", K: 10, Methods: []FrequencyMethod{{"fsnet:protocol=paper", 20}, {"fsnet", 20}, {"mrmr", 19}}, Left: 31}
	for i := range 12 {
		f.Features = append(f.Features, FrequencyFeature{fmt.Sprintf("gene %d", 12-i), []int{max(0, 3-i), max(0, 20-2*i), max(0, 19-3*i)}})
	}
	f.Features[3].Name = "a name that is much longer than there is room for in a picture <b>"
	return map[string]Frequencies{"three": f, "none": {Dataset: "cohort", K: 2, Methods: []FrequencyMethod{{"mrmr", 0}}},
		"alone": {Dataset: "cohort", K: 2}} // as of a comparison of nothing but a method with all features
}

func measuredSamples() map[string]Measured {
	m := Measured{Title: "Accuracy, K = 10", Unit: "accuracy on the test rows"}
	for _, data := range []string{"ALLAML", "GLIOMA"} {
		for i, name := range []string{"fsnet:protocol=paper", "fsnet", "cae-supervised", "mrmr"} {
			m.Lines = append(m.Lines, MeasuredLine{Group: data, Name: name, Measured: spreadOf(0.6+0.09*float64(i), 0.03, 5), Published: new(0.8)})
		}
	}
	m.Lines[1].Measured, m.Lines[3].Published = nil, nil
	return map[string]Measured{"two": m, "none": {Title: "Accuracy with all features", Unit: "accuracy",
		Lines: []MeasuredLine{{Group: "CLL_SUB", Name: "svm"}}}}
}

func learningSamples() map[string]Learning {
	line := func(name string, end, epochs float64) LearningLine {
		l := LearningLine{Name: name}
		for i := range 40 {
			l.X, l.Y = append(l.X, epochs*float64(i+1)/40), append(l.Y, end*(1-math.Exp(-float64(i)/8)))
		}
		return l
	}
	l := Learning{Title: "FsNet over the epochs, K = 10"}
	for i, title := range []string{"accuracy, training rows", "accuracy, test rows", "reconstruction error, test rows"} {
		p := LearningPanel{Title: "ALLAML: " + title, Lines: []LearningLine{line("fsnet:protocol=paper", []float64{0.7, 0.65, 1.1}[i], 4000),
			line("fsnet", 0.9, 300)}}
		for range p.Lines[0].Y {
			p.Lines[0].Spread = append(p.Lines[0].Spread, 0.07)
		}
		if i == 1 {
			p.Lines = append(p.Lines, LearningLine{Name: "cae-supervised", X: []float64{4000}, Y: []float64{0.8}})
		}
		l.Panels = append(l.Panels, p)
	}
	return map[string]Learning{"one": l, "none": {Title: "nothing"}}
}

// What is drawn is to scale: a dot for each feature and method that chose it,
// larger if chosen more often, and one at the end of each line.
func TestResults_DrawnToScale(t *testing.T) {
	f := frequencySamples()["three"]
	want := 0
	for _, g := range f.Features {
		for _, n := range g.Times {
			want += min(n, 1)
		}
	}
	all := marksOf(frequencySpec(f), spec.Point)
	if len(all) != want {
		t.Errorf("%d dots of %d", len(all), want)
	}
	largest := 0.0
	for _, d := range all {
		largest = max(largest, d.Radius)
		if d.Radius == frequencyLarge && d.Tips[2] != "20 of 20" && d.Tips[2] != "19 of 19" {
			t.Errorf("a full dot of %v", d.Tips)
		}
	}
	if largest != frequencyLarge {
		t.Errorf("the largest dot has a radius of %g", largest)
	}
	if text := measuredText(measuredSamples()["two"]); !strings.Contains(text, "of 6 published figures lie inside") {
		t.Errorf("%s", text)
	}
	for _, l := range learningSamples() {
		if got, want := len(marksOf(learningSpec(l), spec.Point)), 7*len(l.Panels)/3; got != want {
			t.Errorf("%d dots, not %d", got, want)
		}
	}
}

// The comparison of a quantity has R², also below 0, and no accuracy.
func TestComparison_OfAQuantity(t *testing.T) {
	c := results.Table{Dataset: "ages", K: 3, Metric: session.RSquared, Entries: []results.Entry{
		{Method: "fsnet", Splits: 5, Score: &metric.Spread{Mean: 0.62, SD: 0.1, Low: new(0.5), High: new(0.74)},
			Own: &metric.Spread{Mean: 0.6, SD: 0.1, Low: new(0.5), High: new(0.7)}, Seconds: &metric.Spread{Mean: 2}},
		{Method: "random", Splits: 5, Score: &metric.Spread{Mean: -0.2, SD: 0.1, Low: new(-0.35), High: new(-0.05)}, Seconds: &metric.Spread{Mean: 0.1}},
	}}
	table := ComparisonTable(c)
	picture, err := Comparison(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{table.HTML, table.Text, string(picture.SVG()), picture.Text, picture.Alt} {
		if strings.Contains(text, "ccuracy") || !strings.Contains(text, "fsnet") {
			t.Errorf("%.600s", text)
		}
	}
	if !strings.Contains(table.Text, "-0.350 to -0.050") || !strings.Contains(table.Text, "own R²") ||
		!strings.Contains(string(picture.SVG()), "mean and 95 % interval") {
		t.Errorf("%s\n%.300s", table.Text, string(picture.SVG()))
	}
	if a := comparisonSpec(c).Rows[0][0].X; a.Low > -0.35 || a.High < 0.74 {
		t.Errorf("the axis goes from %g to %g", a.Low, a.High)
	}
}

// ofAQuantity is a sample whose accuracies are R², so much lower, by the kernel ridge.
func ofAQuantity(t results.Tuned, lower float64) results.Tuned {
	t.Metric, t.Judge = session.RSquared, "kernel-ridge"
	for i := range t.Points {
		p := &t.Points[i]
		for j := range p.BySeed {
			p.BySeed[j].Score -= lower
		}
		if p.Interval != nil {
			p.Interval = &metric.Spread{Low: new(*p.Interval.Low - lower), High: new(*p.Interval.High - lower)}
		}
		p.Score, p.Own, p.Beside = estimateOf(p.Score.Mean-lower, p.Score.SE), p.Beside, p.Own
	}
	if t.Threshold != nil {
		*t.Threshold -= lower
	}
	return t
}

// The tuning, sweep and path of a quantity have R², also below 0, and no
// accuracy.
func TestTuning_OfAQuantity(t *testing.T) {
	for name, c := range map[string]struct {
		of    results.Tuned
		draw  func(results.Tuned) (Picture, error)
		spec  func(results.Tuned) spec.Spec
		table func(results.Tuned) Picture
	}{
		"tuning-quantity": {ofAQuantity(tunings()["six"], 1), Tuning, tuningSpec, TuningTable},
		"sweep-quantity":  {ofAQuantity(sweeps()["k"], 1), Sweep, sweepSpec, TuningTable},
		"path-quantity":   {ofAQuantity(paths()["four"], 1), Path, pathSpec, PathTable},
	} {
		picture, err := c.draw(c.of)
		if err != nil {
			t.Fatal(err)
		}
		charttest.Conforms(t, name, c.spec(c.of))
		table := c.table(c.of)
		for _, text := range []string{table.HTML, table.Text, string(picture.SVG()), picture.Text, picture.Alt, string(picture.VegaLite())} {
			if strings.Contains(text, "ccuracy") || strings.Contains(text, "SVM") || !strings.Contains(text, "chosen") {
				t.Errorf("%s: %.600s", name, text)
			}
		}
		if !strings.Contains(picture.Text, "kernel ridge's R² on held-out folds") ||
			!strings.Contains(table.Text, "The R² of the best of many is too high") {
			t.Errorf("%s\n%s", picture.Text, table.Text)
		}
		drawn := tuning{c.of}
		shown := drawn.shown()
		mean, axis := c.of.Points[shown[0]].Score.Mean, drawn.scale("", shown)
		if mean >= 0 || axis.Low > mean || axis.High < 0 {
			t.Errorf("%s: the axis goes from %g to %g, a mean is %g", name, axis.Low, axis.High, mean)
		}
	}
	table := TuningTable(ofAQuantity(sweeps()["k"], 1)).Text
	if !strings.Contains(table, "own R² ± SE") || !strings.Contains(table, "kernel ridge's R² ± SE") ||
		!strings.Contains(table, "95 % over seeds") || !strings.Contains(table, "-0.275 to -0.195") {
		t.Errorf("%s", table)
	}
}
