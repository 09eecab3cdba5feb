package report_test

import (
	"fmt"
	"log"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

// A page of results is words, commands, and tables and pictures in their order. It loads nothing and runs no script.
func ExampleResults() {
	table := chart.Evaluation(session.Evaluation{Session: "leukemia", Part: "test", Rows: 36, Accuracy: 0.94, Majority: 0.64})
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
