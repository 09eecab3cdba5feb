package config_test

import (
	"fmt"

	"fsnetlab/fsnet/config"
)

func ExampleConfig_Resolve() {
	settings, err := config.Config{Protocol: "paper", K: 50, Lambda: new(0.1)}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.K, settings.Lambda, settings.Epochs, settings.Reconstruction)
	// Output: 50 0.1 4000 sum
}

func ExampleConfig_Set() {
	var c config.Config
	fmt.Println(c.Set("lamda", "0.1"))
	fmt.Println(c.Set("dropout", "1.5"))
	// Output:
	// unknown key "lamda" - did you mean lambda?
	// dropout = "1.5": out of range - dropout (share of units dropped after each hidden layer) takes 0 ≤ p < 1
}

// A key that goes by another name elsewhere, and a slip among those that may change while a training runs.
func ExampleUnknown() {
	fmt.Println(config.Unknown("lr", config.Names()))
	fmt.Println(config.Unknown("lamda", []string{"lambda", "repulsion"}))
	// Output:
	// unknown key "lr" - did you mean learning_rate?
	// unknown key "lamda" - did you mean lambda?
}

// Every key describes itself: what the flags, the magics and their help are made of.
func ExampleLookup() {
	key, err := config.Lookup("lambda")
	fmt.Println(key.Name, key.Symbol, key.Default(config.FsNet), err)
	fmt.Println(key.Accepted())
	fmt.Println(len(config.Keys()) == len(config.Names()), config.Protocols())
	// Output:
	// lambda λ 1 <nil>
	// ≥ 0
	// true [fsnet paper authors stepwise]
}

// What was given, and what comes of it.
func ExampleConfig_Given() {
	c := config.Config{K: 50, Dropout: new(0.0)}
	for _, key := range c.Given() {
		fmt.Println(key.Name, "=", c.Text(key.Name))
	}
	// Output:
	// k = 50
	// dropout = 0
}

// Live keys can be changed while it trains; the difference says what was.
func ExampleSettings_Apply() {
	settings, err := config.Config{K: 10}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	next, changes, err := settings.Apply(config.Config{Lambda: new(0.5)})
	fmt.Println(next.Text("lambda"), changes[0].From, "→", changes[0].To, err)
	_, _, err = settings.Apply(config.Config{K: 20})
	fmt.Println(err)
	other, err := config.Config{K: 20}.Resolve()
	fmt.Println(settings.Differences(other)[0].Key, err)
	again, err := settings.Config().Resolve()
	fmt.Println(len(settings.Differences(again)), err)
	// Output:
	// 0.5 1 → 0.5 <nil>
	// k is fixed once a session is open (it is 10) - open another session with it, or the same name with replace=true
	// k <nil>
	// 0 <nil>
}

// A program that meets an open training with a configuration of its own changes
// the live keys in which the two differ. A structural key such as k is none of
// them.
func ExampleSettings_LiveDifferences() {
	settings, err := config.Config{K: 10}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range settings.LiveDifferences(config.Config{K: 20, Lambda: new(0.5)}) {
		fmt.Println(c.Key, c.From, "→", c.To)
	}
	// Output: lambda 1 → 0.5
}

// The temperature halfway through 300 epochs: the exponential schedule is the geometric mean of its ends there.
func ExampleParseSchedule() {
	settings, err := config.Config{Epochs: 300, Tau0: new(10.0), TauEnd: new(0.1)}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	schedule, err := config.ParseSchedule("exponential")
	fmt.Printf("%.3g %v\n", schedule.Tau(150, settings.Live), err)
	held, err := config.ParseSchedule("points:0=10,100=1")
	fmt.Printf("%.3g %v\n", held.Tau(200, settings.Live), err)
	_, err = config.ParseSchedule("hold:hot")
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// 1 <nil>
	// "hot" is not a number above 0
}

func ExampleParseStop() {
	stop, err := config.ParseStop("patience:50")
	fmt.Printf("%+v %v\n", stop, err)
	_, err = config.ParseStop("soon")
	fmt.Println(err)
	// Output:
	// {Settled:false Patience:50} <nil>
	// not a way to stop
}

// The key split is a way to draw the parts, a column of the file, or a file of names.
func ExampleParseSplit() {
	for _, text := range []string{"column:part", "column:fold=3", "file:parts.csv", "halves"} {
		own, err := config.ParseSplit(text)
		fmt.Printf("%+v %v\n", own, err)
	}
	// Output:
	// {Column:part Value: File:} <nil>
	// {Column:fold Value:3 File:} <nil>
	// {Column: Value: File:parts.csv} <nil>
	// {Column: Value: File:} known are stratified, random
}

// Keys as a file keeps them.
func ExampleFromTexts() {
	c, err := config.FromTexts(map[string]string{"k": "10", "lambda": "0.5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.K, *c.Lambda, c.Texts("k"))
	// Output: 10 0.5 map[lambda:0.5]
}

// What moves by itself while a training goes on: half-way through 100 epochs, and where a schedule stands.
func ExampleLive_Course() {
	settings, err := config.Config{K: 10, Epochs: 100, Repulsion: new(1.0)}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	course, err := settings.Course()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, epoch := range []float64{0, 50, 100} {
		fmt.Printf("epoch %3g: τ %.2g, sharpness %.2g, selector's rate %.2g, repulsion %.2g\n", epoch, course.Tau(epoch),
			course.Sharpness(epoch), course.SelectorRate(epoch), course.Repulsion(epoch))
	}
	linear, err := config.ParseSchedule("linear")
	fmt.Println(settings.Place(50), linear.At(settings.Place(50), settings.Live), err)
	// Output:
	// epoch   0: τ 10, sharpness 1, selector's rate 0.005, repulsion 0
	// epoch  50: τ 0.32, sharpness 1, selector's rate 0.016, repulsion 0
	// epoch 100: τ 0.01, sharpness 20, selector's rate 0.05, repulsion 1
	// 50 5.005 <nil>
}

// What auto comes to with the training rows at hand, and what trains the selectors.
func ExampleSettings_ForData() {
	for _, protocol := range []string{config.FsNet, config.Stepwise} {
		settings, err := config.Config{Protocol: protocol}.Resolve()
		if err != nil {
			fmt.Println(err)
			return
		}
		settings = settings.ForData(36)
		fmt.Printf("%s: %d rows a step, %d epochs; %s\n", protocol, settings.BatchRows(36), settings.Epochs, settings.Trainer())
		why, _ := settings.Idle("lambda")
		fmt.Printf("  the rows are divided by seed %d; lambda: %q\n", settings.RowsSeed(), why)
	}
	// Output:
	// fsnet: 8 rows a step, 300 epochs; the gradient of the network's loss trains the selectors
	//   the rows are divided by seed 0; lambda: ""
	// stepwise: 36 rows a step, 600 epochs; closed-form errors choose, the network only predicts
	//   the rows are divided by seed 0; lambda: "lambda acts on the network only, and under protocol=stepwise the choice does not depend on it"
}

// The paper has b ≤ n: ten bins and nine training rows are refused where the embedding is the paper's.
func ExampleSettings_CheckBins() {
	settings, err := config.Config{Protocol: config.Paper}.Resolve()
	fmt.Println(err)
	fmt.Println(settings.CheckBins(10), settings.CheckBins(9) != nil)
	// Output:
	// <nil>
	// <nil> true
}

// The authors' program lets τ fall with every batch of training and test rows; TauPace = auto says how fast that is.
func ExampleSettings_Paced() {
	settings, err := config.Config{Protocol: config.Authors}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.TauPace, "→", settings.Paced(36, 36).TauPace)
	fmt.Printf("%.3f\n", settings.Slowing(6400)) // the divisor of the learning rates after 6400 steps
	// Output:
	// auto → 0.8
	// 1.001
}

// Columns of a table that say something of its rows, and the settings for rows that are not to be divided, as those of a prediction.
func ExampleSettings_RowColumns() {
	settings, err := config.Config{Data: "cohort.csv", Groups: "donor", RowWeights: "reads", Nuisance: "site"}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.RowColumns())
	fmt.Println(settings.WithoutDivision().RowColumns())
	// Output:
	// [{groups donor} {row_weights reads} {nuisance site}]
	// [{nuisance site}]
}

// A Go program may set the rules that make a protocol exact, here the paper's with more bins.
func ExampleRulesOf() {
	rules := config.RulesOf(config.Paper)
	rules.Bins = 20
	settings, err := config.Config{Protocol: config.Paper, Rules: &rules}.Resolve()
	fmt.Println(settings.Reconstruction, settings.OwnRules(), err)
	// Files of older programs have rules as text.
	fmt.Println(settings.SetRule("tau_every", "step"), settings.SetRule("k", "3"), settings.OwnRules())
	// A rule is no key, and a remedy says so.
	fmt.Println(config.RuleRemedy("tau-every") != "", config.RuleRemedy("k") != "")
	// Output:
	// sum map[bins:20] <nil>
	// true false map[bins:20 tau_every:step]
	// true false
}

// Settings have one hash wherever the data lie and wherever they run, and for
// looks at test rows with every seed.
func ExampleSettings_ID() {
	a, b := config.Settings{K: 3, Data: "x.csv", Backend: "go"}, config.Settings{K: 3, Data: "/data/x.csv"}
	fmt.Println(a.ID() == b.ID(), a.ID() == config.Settings{K: 4}.ID())
	b.Seed = 8
	fmt.Println(a.ID() == b.ID(), a.LookID() == b.LookID())
	// Output:
	// true false
	// false true
}
