package widgets_test

import (
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets"
)

// The cells of a notebook: the handle first, then steps and live views, then what came of them.
func Example() {
	s := session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
	widgets.TrainingPanel(s)
	widgets.LiveMatrix(s, session.MatrixRequest{Of: "soft"})
	widgets.AnnealingInspector(s)
	widgets.FeatureTable(s)
	s.Must().Step(200)

	widgets.Status(s)
	widgets.Summary(s)
	widgets.SelectionTable(s)
	widgets.Evaluation(s, "test")
	widgets.Convergence(s)
	widgets.SelectionMatrix(s)                                               // P
	widgets.SelectionMatrix(s, session.MatrixRequest{Of: "sample", Top: 20}) // M, in its 20 largest columns
	widgets.Curves(s)
	widgets.Curves(s, session.HistoryRequest{Metrics: []string{"entropy", "unique_rows"}, From: 600})

	widgets.Feature(s, "CST3_at")
	widgets.Feature(s, "4846") // a column of the file
	widgets.Heatmap(s)
	widgets.Heatmap(s, session.RowsRequest{Test: true}) // which is counted
	widgets.PCA(s)
	widgets.Distributions(s)
}

func ExampleTimeit() {
	names := []string{"Zyxin", "CST3", "TCF3"}
	widgets.Timeit(0, 0, func(n int) {
		for range n {
			slices.Sort(slices.Clone(names))
		}
	})
}
