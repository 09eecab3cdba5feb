package report_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

// A page of results is words, commands, and tables and pictures in their order. It loads nothing and runs no script.
func ExampleResults() {
	table := chart.Evaluation(session.Evaluation{Session: "leukemia", Part: "test", Rows: 36,
		Score: session.Score{Metric: session.Accuracy, Value: 0.94}, BalancedAccuracy: new(0.93), Guess: 0.64})
	page, err := report.Results("What ten genes tell", []report.Section{{
		Title: "Accuracy", Text: []string{"On the test rows."}, Code: "fsnet fit ALLAML --k 10", Pictures: []chart.Picture{table},
	}}, "1.0", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"<h1>What ten genes tell</h1>", "fsnet fit ALLAML --k 10", "0.940", "<script"} {
		fmt.Println(text, strings.Contains(string(page), text))
	}
	// Output:
	// <h1>What ten genes tell</h1> true
	// fsnet fit ALLAML --k 10 true
	// 0.940 true
	// <script false
}

// A page of sessions. Gather asks one for all that it says, as ReadStability does a file; here it is made up.
func ExampleHTML() {
	settings, err := config.Config{Data: "ALLAML", K: 1, Seed: 1, Backend: "go"}.Resolve()
	if err != nil {
		log.Fatal(err)
	}
	one := report.Session{
		Status:    session.Status{Session: "leukemia", Config: settings, Step: 150, Steps: 150, State: session.Settled},
		Selection: []session.Selected{{Rank: 1, Index: 4846, Name: "Zyxin", Probability: 0.98}},
		Rows: session.Rows{
			Classes:  []string{"ALL", "AML"},
			Train:    session.PartRows{Of: []int{2, 1}, Row: []int{0, 2, 5}, Class: []int{0, 0, 1}},
			Features: []session.RowFeature{{Index: 4846, Name: "Zyxin", Train: []session.Value{120, 90, 1400}}},
		},
	}
	page, err := report.HTML([]report.Session{one}, new(chart.Palette), "1.0", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(page), "Zyxin"))
	fmt.Println(one.Command())
	for _, line := range one.Again() {
		fmt.Println(line)
	}
	_, err = report.ReadStability("nowhere.json")
	fmt.Println(err != nil)
	// Output:
	// true
	// fsnet fit ALLAML --k=1 --seed=1 --backend=go
	// %fsnet open leukemia data=ALLAML k=1 seed=1 backend=go
	// %fsnet run step=150
	// %fsnet report leukemia
	// true
}

// What is running has no one step that a report could be of.
func ExampleGather() {
	_, err := report.Gather(context.Background(), session.On(running{}, "leukemia"), report.Options{})
	fmt.Println(err)
	// Output: session "leukemia" is running: a report is of one step - pause it first, or wait for its end
}

// running answers every verb with a session that runs.
type running struct{ session.Caller }

func (running) Call(_ context.Context, _ string, _, result any) error {
	*result.(*session.Status) = session.Status{Session: "leukemia", State: session.Running}
	return nil
}
