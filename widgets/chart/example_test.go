package chart_test

import (
	"fmt"
	"strings"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

func ExampleMatrix() {
	p, err := chart.Matrix(session.Matrix{
		Session: "leukemia", Of: "probability", Step: 600, Epoch: 120, Tau: 0.631, D: 7129,
		Index: []int{4846, 1881, 2287}, Names: []string{"Zyxin", "CST3", "DF"}, Selectors: []int{1, 0},
		Values: [][]float64{{0.93, 0.02, 0.01}, {0.05, 0.41, 0.2}}, LeftOut: []float64{0.04, 0.34},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text)
	// Output:
	// Selection matrix P of leukemia
	// P: probability, no temperature or noise · step 600 · epoch 120 · τ = 0.631
	// 3 of 7129 features shown; the others hold 19% of the mass, 34% in the row where they hold most
	// selector   1  █████████▎ 0.93  Zyxin
	// selector   0  ████▏      0.41  CST3
}

func ExampleCurves() {
	steps := []int{5, 10, 15, 20}
	p, err := chart.Curves(session.History{
		Session: "leukemia", Step: 20, PerEpoch: 5,
		Curves: map[string]session.Curve{
			"loss": {Steps: steps, Values: []float64{1.9, 1.2, 0.7, 0.3}},
			"tau":  {Steps: steps, Values: []float64{10, 5, 2.5, 1.25}},
		},
		Events: []session.Event{{Step: 10, Epoch: 2, Kind: "set", Text: "lambda 1 → 0.1"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text)
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
		Session: "leukemia", Part: "test", Rows: 36, Step: 1500, Accuracy: 34.0 / 36, BalancedAccuracy: 0.9167, Majority: 24.0 / 36,
		Classes: []string{"ALL", "AML"}, Confusion: [][]int{{24, 0}, {2, 10}}, ReconstructionError: 0.812, MutualInformation: 0.211, TestLooks: 1,
	}).Text)
	// Output:
	// Evaluation of leukemia on 36 test rows, step 1500
	// accuracy                   ██████████████████▉   0.944
	// balanced accuracy          ██████████████████▍   0.917
	// always the majority class  █████████████▍        0.667
	// reconstruction error 0.812 (mean squared, per feature, scaled units)
	// mutual information 0.211 bits (mean over pairs of selected features)
	// the test rows were looked at once: choosing by them is tuning on the test set
	// true \ predicted  ALL  AML
	// ALL                24    0
	// AML                 2   10
}

// Before the first look at P nothing is said of the validation rows but that there are some.
func ExampleStatus_validation() {
	s := session.Status{
		Session: "leukemia", State: session.Paused, Step: 5, Steps: 1500, Epoch: 1, Tau: 9.8,
		Trained: true, Loss: 1.5, LossClass: 0.5, LossReconstruction: 1, AccuracyTrain: 0.75, Validate: 8,
	}
	fmt.Print(chart.Status(s).Text)
	s.AccuracyValidation = new(0.625)
	fmt.Print(chart.Status(s).Text)
	// Output:
	// leukemia paused · step 5 of 1500 · epoch 1 · τ 9.8 · loss 1.5 (class 0.5, reconstruction 1) · training accuracy 0.750, validation none yet
	// leukemia paused · step 5 of 1500 · epoch 1 · τ 9.8 · loss 1.5 (class 0.5, reconstruction 1) · training accuracy 0.750, validation 0.625 of 8 rows
}

func ExampleStatus() {
	fmt.Print(chart.Status(
		session.Status{Session: "leukemia", State: session.Paused, Step: 600, Steps: 1500, Epoch: 120, Tau: 0.631, Backend: "xla:cpu"}).Text)
	// Output: leukemia paused · step 600 of 1500 · epoch 120 · τ 0.631 · xla:cpu
}

// Before the first look at P nothing is said of its probabilities.
func ExampleStatus_idle() {
	s := session.Status{Session: "leukemia", State: session.Idle, Steps: 1500, Tau: 10, Config: config.Settings{K: 10}}
	fmt.Print(chart.Status(s).Text)
	s.MaxProbability, s.UniqueRows = new(0.0003), new(10)
	fmt.Print(chart.Status(s).Text)
	// Output:
	// leukemia idle · step 0 of 1500 · epoch 0 · τ 10 · 0 of 10 selectors settled
	// leukemia idle · step 0 of 1500 · epoch 0 · τ 10 · 0 of 10 selectors settled, largest probability 3e-4 on average
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
	p, err := chart.Feature(session.Feature{
		Session: "leukemia", Step: 600, Index: 4846, Name: "Zyxin", Kept: true,
		Bins:        session.Bins{Edges: []float64{0, 1, 2}, Counts: [][]int{{20, 3}, {1, 12}}},
		All:         session.Distribution{N: 36, Mean: 1, SD: 0.5, Max: 2},
		Classes:     []session.Distribution{{Class: "ALL", N: 23, Mean: 0.4}, {Class: "AML", N: 13, Mean: 1.6}},
		Probability: []float64{0.93, 0.02},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text)
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
	p, err := chart.Features(session.Status{Session: "leukemia", Step: 600},
		[]session.Selected{{Rank: 1, Index: 4846, Name: "Zyxin", Probability: 0.93, Margin: 0.91, Selector: 1}},
		chart.Column{Title: "mean AML", Cells: []string{"1.6"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text)
	fmt.Println(len(p.PNG) > 0)
	// Output:
	// rank  feature  column  probability      margin  selector  mean AML
	//    1  Zyxin      4846  █████████▎ 0.93    0.91         1       1.6
	// true
}

func ExampleAnnealing() {
	p, err := chart.Annealing(session.History{Session: "leukemia", Step: 10, PerEpoch: 5, Curves: map[string]session.Curve{
		"tau": {Steps: []int{5, 10}, Values: []float64{10, 5}}, "max_probability": {Steps: []int{5, 10}, Values: []float64{0.1, 0.4}},
	}}, session.Curve{Steps: []int{10, 20}, Values: []float64{5, 0.5}}, session.Curve{Steps: []int{10, 20}, Values: []float64{1, 20}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.PNG) > 0, len(p.SVG()) > 0)
	// Output: true true
}

// A picture for a terminal fits its columns; a note stands below it in every form.
func ExamplePicture_Terminal() {
	p := chart.Status(session.Status{Session: "leukemia", State: session.Paused, Step: 30, Steps: 1500})
	fmt.Print(p.Terminal(40))
	noted, err := p.Note("as of yesterday")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(noted.Text)
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
	p, err := chart.Convergence(session.History{Session: "leukemia", PerEpoch: 5})
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
	fmt.Println(fault.Is(err, fault.Request), "of", chart.Forms())
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

// What a training came to: the answer, and for each feature the class that it is higher in.
func ExampleSummary() {
	p := chart.Summary(
		session.Evaluation{Part: "test", Rows: 36, Accuracy: 35.0 / 36, BalancedAccuracy: 0.979, Majority: 0.667},
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
	}).Text)
	// Output:
	// session  state            step   settled  training accuracy  lambda
	// cold     settled  1170 of 1500  10 of 10                  –  1
	// light    paused    500 of 1500   0 of 10                  –  0.1
}

// The curves of several trainings over one another.
func ExampleOverlay() {
	of := func(name string, last float64) session.History {
		loss := session.Curve{Steps: []int{5, 10}, Values: []float64{1.5, last}}
		return session.History{Session: name, PerEpoch: 5, Curves: map[string]session.Curve{"loss": loss}}
	}
	p, err := chart.Overlay([]session.History{of("cold", 0.8), of("warm", 0.9)})
	fmt.Println(p.Alt, err)
	fmt.Println(p.Metadata()[chart.MIMEPNG] != nil)
	// Output:
	// Training of cold, warm, 2 sessions: loss of cold from 1.5 to 0.8; loss of warm from 1.5 to 0.9. <nil>
	// true
}

// The word of a feature of the choice, where stability was run.
func ExampleStability_WordOf() {
	found := &chart.Stability{Genes: []chart.StabilityGene{{Name: "Zyxin", Rank: 1, Word: "likely"}, {Name: "CD33", Word: "a lead"}}}
	fmt.Printf("%q %q\n", found.WordOf("Zyxin"), found.WordOf("CD33"))
	// Output:
	// "likely" ""
}

func ExampleTable() {
	t := chart.Table{{Title: "rank", Right: true}, {Title: "feature", Name: true}}
	t.Add("1", "X95735_at")
	fmt.Print(t.Text(0, 32), strings.Count(t.HTML(0), "<td"), " cells")
	// Output:
	// rank  feature
	//    1  X95735_at
	// 2 cells
}
