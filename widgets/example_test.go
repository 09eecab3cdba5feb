package widgets_test

import (
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets"
)

// The cells of a notebook: the handle first, then steps and pictures.
func Example() {
	s := session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
	s.Must().Step(200)
	widgets.SelectionMatrix(s)
	widgets.Curves(s)
}

func ExampleTrainingPanel() {
	widgets.TrainingPanel(session.Use("leukemia", session.Config{Data: "ALLAML", K: 10}))
}

func ExampleSelectionMatrix() {
	s := session.Use("leukemia", session.Config{})
	widgets.SelectionMatrix(s)                                               // P
	widgets.SelectionMatrix(s, session.MatrixRequest{Of: "sample", Top: 20}) // M, in its 20 largest columns
}

func ExampleConvergence() {
	s := session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
	widgets.Convergence(s)
}

func ExampleCurves() {
	s := session.Use("leukemia", session.Config{})
	widgets.Curves(s)
	widgets.Curves(s, session.HistoryRequest{Metrics: []string{"entropy", "unique_rows"}, From: 600})
}

func ExampleSelectionTable() {
	widgets.SelectionTable(session.Use("leukemia", session.Config{}))
}

func ExampleSummary() {
	widgets.Summary(session.Use("leukemia", session.Config{}))
}

func ExampleEvaluation() {
	widgets.Evaluation(session.Use("leukemia", session.Config{}), "test")
}

func ExampleStatus() {
	widgets.Status(session.Use("leukemia", session.Config{}))
}

func ExampleLiveMatrix() {
	widgets.LiveMatrix(session.Use("leukemia", session.Config{}), session.MatrixRequest{Of: "soft"})
}

func ExampleAnnealingInspector() {
	widgets.AnnealingInspector(session.Use("leukemia", session.Config{}))
}

func ExampleFeatureTable() {
	widgets.FeatureTable(session.Use("leukemia", session.Config{}))
}

func ExampleFeature() {
	s := session.Use("leukemia", session.Config{})
	widgets.Feature(s, "CST3_at")
	widgets.Feature(s, "4846") // a column of the file
}

// The selected features in the training rows, and, which is counted, in the test rows.
func ExampleHeatmap() {
	s := session.Use("leukemia", session.Config{})
	widgets.Heatmap(s)
	widgets.Heatmap(s, session.RowsRequest{Test: true})
}

func ExamplePCA() {
	widgets.PCA(session.Use("leukemia", session.Config{}))
}

func ExampleDistributions() {
	widgets.Distributions(session.Use("leukemia", session.Config{}))
}

func ExampleTimeit() {
	names := []string{"Zyxin", "CST3", "TCF3"}
	widgets.Timeit(0, 0, func(n int) {
		for range n {
			slices.Sort(slices.Clone(names))
		}
	})
}
