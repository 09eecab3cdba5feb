package widgets_test

import (
	"slices"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets"
)

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
