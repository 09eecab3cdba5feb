package chart_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

func ExampleMatrix() {
	text(chart.Matrix(session.Matrix{
		Session: "leukemia", Of: "probability", Step: 600, Epoch: 120, Tau: 0.631, D: 7129,
		Index: []int{4846, 1881, 2287}, Names: []string{"Zyxin", "CST3", "DF"}, Selectors: []int{1, 0},
		Values: [][]float64{{0.93, 0.02, 0.01}, {0.05, 0.41, 0.2}}, LeftOut: []float64{0.04, 0.34},
	}))
	// Output:
	// Selection matrix P of leukemia
	// P: probability, no temperature or noise · step 600 · epoch 120 · τ = 0.631
	// 3 of 7129 features shown; the others hold 19% of the mass, 34% in the row where they hold most
	// selector   1  █████████▎ 0.93  Zyxin
	// selector   0  ████▏      0.41  CST3
}

func ExampleCurves() {
	steps := []int{5, 10, 15, 20}
	text(chart.Curves(session.History{
		Session: "leukemia", Step: 20, PerEpoch: 5,
		Curves: map[string]session.Curve{
			"loss": {Steps: steps, Values: []float64{1.9, 1.2, 0.7, 0.3}},
			"tau":  {Steps: steps, Values: []float64{10, 5, 2.5, 1.25}},
		},
		Events: []session.Event{{Step: 10, Epoch: 2, Kind: "set", Text: "lambda 1 → 0.1"}},
	}))
	// Output:
	// Training of leukemia
	// step 20 · epoch 4
	// loss                 █▅▃▁                                      1.9 → 0.3
	// tau                  █▄▂▁                                      10 → 1.25
	// epoch 2: lambda 1 → 0.1
}

func ExampleSelection() {
	fmt.Print(chart.Selection([]session.Selected{
		{Rank: 1, Index: 4846, Name: "Zyxin", Probability: 0.93, Margin: 0.91, Selector: 1},
		{Rank: 2, Index: 1881, Name: "CST3", Probability: 0.41, Margin: 0.21, Selector: 0},
	}).Text)
	// Output:
	// rank  feature  column  probability      margin  selector
	//    1  Zyxin      4846  █████████▎ 0.93    0.91         1
	//    2  CST3       1881  ████▏      0.41    0.21         0
}

func ExampleEvaluation() {
	fmt.Print(chart.Evaluation(session.Evaluation{
		Session: "leukemia", Part: "test", Rows: 36, Step: 1500,
		Score: session.Score{Metric: session.Accuracy, Value: 34.0 / 36}, BalancedAccuracy: new(0.9167), Guess: 24.0 / 36,
		Classes: []string{"ALL", "AML"}, Confusion: [][]int{{24, 0}, {2, 10}}, ReconstructionError: 0.812, MutualInformation: 0.211, TestLooks: 1,
	}).Text)
	// Output:
	// Evaluation of leukemia on 36 test rows, step 1500
	// accuracy                   ██████████████████▉   0.944
	// balanced accuracy          ██████████████████▍   0.917
	// always the majority class  █████████████▍        0.667
	// reconstruction error 0.812 (mean squared, per feature, scaled units)
	// mutual information 0.211 bits (mean over pairs of selected features)
	// the test rows were looked at once
	// true \ predicted  ALL  AML
	// ALL                24    0
	// AML                 2   10
}

// Before the first look at P nothing is said of its probabilities, and of the validation rows but that there are some.
func ExampleStatus() {
	s := session.Status{
		Session: "leukemia", State: session.Paused, Step: 5, Steps: 1500, Epoch: 1, Tau: 9.8, Backend: "xla:cpu", Config: config.Settings{K: 10},
		Trained: true, Loss: 1.5, LossClass: 0.5, LossReconstruction: 1, TrainScore: session.Score{Metric: "accuracy", Value: 0.75}, Validate: 8,
	}
	text(chart.Status(s), nil)
	s.ValidationScore, s.MaxProbability, s.UniqueRows = &session.Score{Metric: "accuracy", Value: 0.625}, new(0.0003), new(10)
	text(chart.Status(s), nil)
	// Output:
	// leukemia paused · step 5 of 1500 · epoch 1 · τ 9.8 · loss 1.5 (class 0.5, reconstruction 1) · training accuracy 0.750, validation none yet · 0 of 10 selectors settled · xla:cpu
	// leukemia paused · step 5 of 1500 · epoch 1 · τ 9.8 · loss 1.5 (class 0.5, reconstruction 1) · training accuracy 0.750, validation 0.625 of 8 rows · 0 of 10 selectors settled, largest probability 3e-4 on average · xla:cpu
}

func ExampleProgress() {
	fmt.Print(chart.Progress(session.Progress{Session: "leukemia", Target: 1000, Status: session.Status{
		Step: 600, Epoch: 120, Tau: 0.631, Trained: true, Loss: 0.27, StepsPerSecond: 410,
	}}, time.Date(2026, 5, 3, 14, 30, 5, 0, time.UTC)).Text)
	// Output: leukemia ▕████████████        ▏ 60% · epoch 120 · τ 0.631 · loss 0.27 · 410 steps/s · 1 s left · as of 2026-05-03 14:30:05
}

func ExamplePicture_Bundle() {
	for mime := range chart.Status(session.Status{Session: "leukemia", State: session.Idle}).Bundle() {
		fmt.Println(mime)
	}
	// Unordered output:
	// text/html
	// text/plain
}

func ExampleFeature() {
	text(chart.Feature(session.Feature{
		Session: "leukemia", Step: 600, Index: 4846, Name: "Zyxin", Kept: true,
		Bins:        session.Bins{Edges: []float64{0, 1, 2}, Counts: [][]int{{20, 3}, {1, 12}}},
		All:         session.Distribution{N: 36, Mean: 1, SD: 0.5, Max: 2},
		Classes:     []session.Distribution{{Class: "ALL", N: 23, Mean: 0.4}, {Class: "AML", N: 13, Mean: 1.6}},
		Probability: []float64{0.93, 0.02},
	}))
	// Output:
	// Zyxin
	// column 4846 of leukemia · step 600
	// class               n      mean        sd       min        q1    median        q3       max  histogram
	// ALL                23       0.4         0         0         0         0         0         0  █▂
	// AML                13       1.6         0         0         0         0         0         0  ▁▅
	// at step 600, by selector  0: 0.93  1: 0.02
}

// The chosen features as an image, too, with what is known of them besides.
func ExampleFeatures() {
	text(chart.Features(session.Status{Session: "leukemia", Step: 600},
		[]session.Selected{{Rank: 1, Index: 4846, Name: "Zyxin", Probability: 0.93, Margin: 0.91, Selector: 1}},
		words.Column{Title: "mean AML", Cells: []string{"1.6"}}))
	// Output:
	// rank  feature  column  probability      margin  selector  mean AML
	//    1  Zyxin      4846  █████████▎ 0.93    0.91         1       1.6
}

func ExampleAnnealing() {
	show(chart.Annealing(session.History{Session: "leukemia", Step: 10, PerEpoch: 5, Curves: map[string]session.Curve{
		"tau": {Steps: []int{5, 10}, Values: []float64{10, 5}}, "max_probability": {Steps: []int{5, 10}, Values: []float64{0.1, 0.4}},
	}}, session.Curve{Steps: []int{10, 20}, Values: []float64{5, 0.5}}, session.Curve{Steps: []int{10, 20}, Values: []float64{1, 20}}))
	// Output: Annealing of leukemia, step 10 · epoch 2: tau from 10 to 5; tau_ahead from 5 to 0.5; sharpness_ahead from 1 to 20; max_probability from 0.1 to 0.4.
}

// A picture for a terminal fits its columns; a note stands below it in every form.
func ExamplePicture_Terminal() {
	p := chart.Status(session.Status{Session: "leukemia", State: session.Paused, Step: 30, Steps: 1500})
	fmt.Print(p.Terminal(40))
	fmt.Print(p.Note("as of yesterday").Text)
	fmt.Println(chart.Duration(90))
	// Output:
	// leukemia paused · step 30 of 1500 ·
	//   epoch 0 · τ 0
	// leukemia paused · step 30 of 1500 · epoch 0 · τ 0
	// as of yesterday
	// 1 min 30 s
}

// How the selection formed: what a session is asked for, and what is drawn of it.
func ExampleConvergence() {
	fmt.Println(chart.ConvergenceRequest().Metrics)
	p, err := chart.Convergence(session.History{Session: "leukemia", PerEpoch: 5}, new(chart.Palette))
	fmt.Println(strings.Contains(p.Text, "leukemia"), err)
	// Output:
	// [entropy unique_rows tau sharpness]
	// true <nil>
}

// A picture in the form that a file's name asks for, and with words of its own for terminals.
func ExamplePicture_As() {
	p := chart.Status(session.Status{Session: "leukemia", State: session.Idle})
	text, err := p.As("status.txt")
	fmt.Println(len(text) > 0, err)
	_, err = p.As("status.pdf")
	fmt.Println(errs.Is(err, errs.Request), "of", chart.Forms())
	fmt.Println(p.WithTerminal("nothing to be seen").Terminal(40))
	// Output:
	// true <nil>
	// true of .png, .svg, .html, .json (Vega-Lite) or .txt
	// nothing to be seen
}

// The layers of a session's network, as it was compiled.
func ExampleNetwork() {
	p, err := chart.Network(session.Status{Session: "leukemia"})
	fmt.Println(p.Alt, err)
	// Output:
	// the layers of leukemia are not known <nil>
}

// What a training came to: the answer, and for each feature the class that it stands out in.
func ExampleSummary() {
	p := chart.Summary(
		session.Evaluation{Part: "test", Rows: 36, Score: session.Score{Metric: session.Accuracy, Value: 35.0 / 36}, BalancedAccuracy: new(0.979), Guess: 0.667, Low: new(0.858), High: new(0.9955)},
		[]session.Selected{{Rank: 1, Name: "Zyxin", Index: 4846, Probability: 1, Margin: 1}},
		session.Rows{Classes: []string{"ALL", "AML"}, Train: session.PartRows{Class: []int{0, 0, 1, 1}},
			Features: []session.RowFeature{{Name: "Zyxin", Train: []session.Value{1, 2, 5, 6}}}},
		chart.About{Symbols: map[string]string{"Zyxin": "ZYX"}})
	answer, _, _ := strings.Cut(p.Text, "\n")
	fmt.Println(answer)
	fmt.Println(strings.Contains(p.Text, "AML +5.7"))
	// Output:
	// 35 of 36 unseen rows right: accuracy 0.972 (95 % interval 0.86 to 1.00), balanced 0.979; always guessing the most frequent class would give 0.667
	// true
}

// The open sessions, with the settings in which they differ.
func ExampleSessions() {
	fmt.Print(chart.Sessions([]session.Status{
		{Session: "cold", State: session.Settled, Step: 1170, Steps: 1500, SettledRows: 10,
			Config: config.Settings{K: 10, Live: config.Live{Lambda: 1}}},
		{Session: "light", State: session.Paused, Step: 500, Steps: 1500, Config: config.Settings{K: 10, Live: config.Live{Lambda: 0.1}}},
	}, "light").Text)
	// Output:
	// session  state            step   settled  training accuracy  lambda
	// cold     settled  1170 of 1500  10 of 10                  –  1
	// light ◂  paused    500 of 1500   0 of 10                  –  0.1
	// ◂ lines without a name mean this session
}

// The curves of several trainings over one another.
func ExampleOverlay() {
	of := func(name string, lambda, last float64) chart.Compared {
		loss := session.Curve{Steps: []int{5, 10}, Values: []float64{1.5, last}}
		return chart.Compared{
			History: session.History{Session: name, PerEpoch: 5, Curves: map[string]session.Curve{"loss_class": loss}},
			Status:  session.Status{Config: config.Settings{Live: config.Live{Lambda: lambda}}},
		}
	}
	p, err := chart.Overlay([]chart.Compared{of("cold", 1, 0.8), of("warm", 0.1, 0.9)}, "")
	fmt.Println(p.Alt, err)
	fmt.Println(p.Metadata()[chart.MIMEPNG] != nil)
	// Output:
	// Training of cold, warm, 2 sessions: cold: loss_class from 1.5 to 0.8; warm: loss_class from 1.5 to 0.9. <nil>
	// true
}

// The pictures of rows of the data: as they are, how they lie to one another, and how features are spread in the classes.
func Example() {
	rows := session.Rows{
		Session: "leukemia", Step: 150, Classes: []string{"ALL", "AML"},
		Train: session.PartRows{Of: []int{2, 2}, Row: []int{0, 2, 5, 8}, Class: []int{0, 0, 1, 1}},
	}
	for i, name := range []string{"Zyxin", "CST3"} {
		values := []session.Value{120, 90, session.Value(1400 - 300*i), 1100}
		rows.Features = append(rows.Features, session.RowFeature{Index: 7 * i, Name: name, Train: values})
	}
	for _, draw := range []func(session.Rows) (chart.Picture, error){chart.Heatmap, chart.PCA, chart.Distributions} {
		p, err := draw(rows)
		if err != nil {
			fmt.Println(err)
			continue
		}
		title, _, _ := strings.Cut(p.Alt, ",")
		fmt.Println(title)
	}
	fmt.Println("the second picture asks a session for random features, too:", chart.PCARequest().Random)
	// Output:
	// Selected features of leukemia by class
	// Training rows of leukemia on principal components
	// Selected features of leukemia by class: distributions
	// the second picture asks a session for random features, too: true
}

func ExampleComparison() {
	compared := results.Table{Dataset: "ALLAML", K: 10, Metric: session.Accuracy, Entries: []results.Entry{
		{Method: "fsnet", Splits: 20, Score: &metric.Spread{Mean: 0.94, SD: 0.03, Low: new(0.92), High: new(0.96)}},
		{Method: "anova", Splits: 20, Score: &metric.Spread{Mean: 0.92, SD: 0.05, Low: new(0.88), High: new(0.95)}},
	}}
	fmt.Print(chart.ComparisonTable(compared).Text)
	p, err := chart.Comparison(compared)
	fmt.Println(len(p.PNG()) > 0, len(p.SVG()) > 0, err)
	// Output:
	// Comparison on ALLAML, K = 10
	// method  splits   SVM accuracy            95 %  own accuracy  seconds  against fsnet  p
	// fsnet       20  0.940 ± 0.030  0.920 to 0.960             -        -              -  -
	// anova       20  0.920 ± 0.050  0.880 to 0.950             -        -              -  -
	// p: Wilcoxon's signed-rank test of the SVM accuracies, split by split. Splits share rows: it is too small.
	// true true <nil>
}

// A number is measured beside a published one.
func ExampleAgainst() {
	p, err := chart.Against(chart.Measured{Title: "ALLAML, K = 10", Unit: "accuracy", Lines: []chart.MeasuredLine{
		{Group: "FsNet", Name: "accuracy",
			Measured: &metric.Spread{Mean: 0.93, SD: 0.04, Low: new(0.91), High: new(0.95)}, Published: new(0.91)},
	}})
	show(p, err)
	// Output: ALLAML, K = 10: 1 of 1 published figure lies inside the interval of ours.
}

// How often two methods chose features, over 20 splits.
func ExampleFrequency() {
	show(chart.Frequency(chart.Frequencies{
		Dataset: "ALLAML", K: 10, Methods: []chart.FrequencyMethod{{Method: "fsnet", Splits: 20}, {Method: "anova", Splits: 20}},
		Features: []chart.FrequencyFeature{{Name: "Zyxin", Times: []int{18, 20}}, {Name: "CST3", Times: []int{11, 9}}},
	}))
	// Output: How often features are chosen: ALLAML, K = 10: of 2 features, most often Zyxin.
}

// The accuracy over the epochs of two trainings.
func ExampleLearningChart() {
	panel := chart.LearningPanel{Title: "accuracy", Lines: []chart.LearningLine{
		{Name: "FsNet", X: []float64{1, 50, 100}, Y: []float64{0.5, 0.8, 0.93}}, {Name: "SVM", X: []float64{100}, Y: []float64{0.92}},
	}}
	show(chart.LearningChart(chart.Learning{Title: "Training on ALLAML", Panels: []chart.LearningPanel{panel}}))
	// Output: Training on ALLAML: 1 panel.
}

// How often one configuration chose features, with forty seeds.
func ExampleReplicasChart() {
	show(chart.ReplicasChart(chart.Replicas{
		Dataset: "ALLAML", K: 1, Seeds: "seeds 1 to 40", Done: 40,
		Replicas: results.Replicas{Metric: session.Accuracy, TestScore: &metric.Spread{Mean: 0.93, SD: 0.02},
			Features: []results.ReplicaFeature{{Name: "Zyxin", Selected: 38, MeanRank: 1}, {Name: "CST3", Selected: 2, MeanRank: 1}}},
	}))
	// Output: How often features are chosen: ALLAML, K = 1: Zyxin most often, in 38 of 40; 0 features in every replica.
}

// How often halves of the training rows gave a feature.
func ExampleStabilityChart() {
	found := results.Stability{Dataset: "ALLAML", N: 36, Half: 18, K: 1, Planned: 40, Done: 40, Genes: []results.Gene{
		{Name: "Zyxin", Rank: 1, Seen: 31, Group: 36, Word: "certain"},
	}}
	fmt.Println(strings.Contains(chart.StabilityTable(found).Text, "certain"))
	show(chart.StabilityChart(found))
	// Output:
	// true
	// Which features to trust: ALLAML, K = 1: of the choice 1 certain.
}

// The pairs of features that tell more together, as a table and as scatter plots
// of the rows.
func ExamplePairs() {
	found := results.Pairs{ // as fsnet pairs --json prints it
		Dataset: "leukemia", Rows: 4, D: 100, Tested: 4950, Significant: 1,
		Pairs: []results.Pair{{
			Features: []string{"Zyxin", "CST3"}, Kind: "product", F: 50, P: 1e-6, Alone: []float64{0.01, 0.02}, AloneP: []float64{1, 1},
			Text: "Zyxin and CST3 tell together; neither does alone",
		}},
		Classes: []string{"ALL", "AML"}, Row: []int{0, 2, 5, 8}, Y: []int{0, 0, 1, 1},
		Plots: []results.Plot{{X: []*float64{new(1.0), new(9.0), new(1.0), new(9.0)}, Y: []*float64{new(2.0), new(8.0), new(8.0), new(2.0)}}},
	}
	fmt.Print(chart.PairsTable(found).Text)
	show(chart.Pairs(found))
	// Output:
	// Pairs of features of leukemia
	// feature  and   kind        F        p   alone
	// Zyxin    CST3  product  50.0  < 0.001  1%, 2%
	// 1 of 4950 pairs tells more than its parts
	// Zyxin and CST3 tell together; neither does alone
	// Pairs of features of leukemia: 1 of 4950 pairs tells more than its parts.
}

// What the numbers of features of a path reach, as a curve and as a table; a sweep of another key, and a grid, in the same way.
func ExamplePath() {
	var tuned results.Tuned // as fsnet path --json prints it
	if err := json.Unmarshal([]byte(`{"dataset": "ALLAML", "metric": "accuracy", "rows": 36, "folds": 5, "repeats": 1, "judge": "svm", "best": 1, "chosen": 0,
		"points": [
		{"k": 5, "settings": [{"key": "k", "value": "5"}], "folds": 5, "score": {"mean": 0.90, "se": 0.02}},
		{"k": 10, "settings": [{"key": "k", "value": "10"}], "folds": 5, "score": {"mean": 0.91, "se": 0.02}}]}`), &tuned); err != nil {
		fmt.Println(err)
		return
	}
	show(chart.Path(tuned))
	show(chart.Sweep(tuned))
	show(chart.Tuning(tuned))
	fmt.Println(strings.Contains(chart.TuningTable(tuned).Text, "k=10"), len(chart.PathTable(tuned).Text) > 0)
	// Output:
	// Path on ALLAML: chosen: k=5 (0.900 ± 0.020), the simplest within one standard error of the best, k=10 (0.910 ± 0.020).
	// Sweep of k on ALLAML: chosen: k=5 (0.900 ± 0.020), the simplest within one standard error of the best, k=10 (0.910 ± 0.020).
	// Tuning on ALLAML: chosen: k=5 (0.900 ± 0.020), the simplest within one standard error of the best, k=10 (0.910 ± 0.020).
	// true true
}

// text prints a picture in words.
func text(p chart.Picture, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text)
}

// show prints what a picture shows, in one sentence.
func show(p chart.Picture, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Alt)
}

// ledBy returns looks in which one selector is led by a gene, more and more surely.
func ledBy(gene int) *session.Selectors {
	s := &session.Selectors{Names: map[int]string{gene: "Zyxin"}, SettleSteps: 5}
	for step := 10; step <= 30; step += 10 {
		s.Looks = append(s.Looks, session.Look{Step: step, Leaders: []int{gene}, Probability: []float64{float64(step) / 32}})
	}
	return s
}

// A gene has a colour from P ≥ 0.5 on, and keeps it in all pictures of a palette.
func ExamplePalette_Colours() {
	palette := new(chart.Palette)
	first, again := palette.Colours(ledBy(7)), palette.Colours(ledBy(7))
	fmt.Println(first[7].Step, first[7] == again[7])
	// Output:
	// 20 true
}

// How the selection formed, for those who draw it otherwise.
func ExamplePalette_Formation() {
	f := new(chart.Palette).Formation(ledBy(7))
	fmt.Println(f.Order, f.Settled, f.Summary)
	// Output:
	// [0] [-1] 0 of 1 selector settled · 1 different leader
}

// The rows of two classes between a feature's lowest and highest value, as an image for HTML.
func ExampleStrip() {
	fmt.Println(strings.HasPrefix(chart.Strip([][]int{{3, 1, 0}, {0, 1, 2}}), "<img"), words.Strip([][]int{{3, 1, 0}, {0, 1, 2}}))
	// Output:
	// true █▃· ·▄█
}

// What a matrix says in words.
func ExampleWordsOf() {
	w := chart.WordsOf(session.Matrix{Of: "probability", Step: 600, Epoch: 120, Tau: 0.631, D: 7129,
		Index: []int{4846, 1881}, Names: []string{"Zyxin", "CST3"}, Selectors: []int{1, 0},
		Values: [][]float64{{0.93, 0.02}, {0.05, 0.41}}, LeftOut: []float64{0.05, 0.54}, Selected: []int{0, 1},
		Leaders: []string{"Zyxin", "CST3"}, LeaderValues: []float64{0.93, 0.41}})
	fmt.Println(w.Caption)
	// Output:
	// P: probability, no temperature or noise · step 600 · epoch 120 · τ = 0.631
}

// A panel that cannot be live shows the lanes of its selectors above its curves.
func ExamplePanel() {
	picture, err := chart.Panel(session.History{Session: "leukemia", Step: 30, PerEpoch: 10, Selectors: ledBy(7),
		Curves: map[string]session.Curve{"loss": {Steps: []int{10, 20, 30}, Values: []float64{1.9, 1.2, 0.3}}}}, new(chart.Palette))
	fmt.Println(picture.Drawn(), picture.VegaLite() == nil, err)
	// Output:
	// true true <nil>
}

// The ending of a file's name says in which form a picture is saved.
func ExampleCheckForm() {
	fmt.Println(chart.CheckForm("curves.svg"))
	fmt.Println(chart.CheckForm("curves.bmp") != nil)
	// Output:
	// <nil>
	// true
}

// A feature that took another's place in the contest says so.
func ExampleSelection_contest() {
	fmt.Print(chart.Selection([]session.Selected{{Rank: 1, Name: "Zyxin", Index: 4846, Selector: 2, Probability: 1, Margin: 1,
		ChosenBy: session.ByContest, Replaced: &session.Entry{Name: "CST3", Probability: .98}}}).Text)
	// Output:
	// rank  feature  column  probability                             margin  selector
	//    1  Zyxin      4846  ██████████ 1.00 contest, replaced CST3    1.00         2
}

// A line above a picture of words.
func ExamplePicture_Below() {
	fmt.Print(chart.Picture{Text: "feature\n"}.Below("unfinished").Text)
	// Output:
	// unfinished
	//
	// feature
}

// A feature keeps its colour wherever it is drawn.
func ExamplePalette_Of() {
	var palette chart.Palette
	zyxin := palette.Of("Zyxin")
	fmt.Println(palette.Of("CST3") != zyxin, palette.Of("Zyxin") == zyxin)
	// Output:
	// true true
}

// Two sessions differ in one setting.
func ExampleDiffering() {
	a := session.Status{Session: "a", Config: config.Settings{K: 10}}
	b := session.Status{Session: "b", Config: config.Settings{K: 20}}
	for _, column := range chart.Differing([]session.Status{a, b}) {
		fmt.Println(column.Title, column.Cells)
	}
	// Output:
	// k [10 20]
}

// A picture for a narrow page keeps the size of its letters.
func ExamplePicture_Fit() {
	picture, err := chart.Curves(session.History{
		Session: "leukemia", Step: 20, PerEpoch: 5,
		Curves: map[string]session.Curve{"loss": {Steps: []int{5, 10, 15, 20}, Values: []float64{1.9, 1.2, 0.7, 0.3}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	opening, _, _ := strings.Cut(string(picture.Fit(400).SVG()), " height")
	fmt.Println(opening)
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 249" width="400"
}
