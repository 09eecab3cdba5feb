package widgets

import (
	"context"

	"fsnetlab/fsnet/session"
)

// show asks the kernel for a view of the session. If it fails, it ends the cell
// with one line.
func show(s session.Session, view session.ViewRequest) {
	session.ExitOn(s.Show(context.Background(), view))
}

// last returns the last of a function's optional requests, or the zero request.
func last[R any](requests []R) (request R) {
	if len(requests) > 0 {
		request = requests[len(requests)-1]
	}
	return request
}

// Status shows the state of the training in one line.
func Status(s session.Session) { show(s, session.ViewRequest{View: "status"}) }

// SelectionMatrix shows the selection matrix as a heat map. A request selects
// P, M (Of "sample") or the softmax (Of "soft"), the largest number of columns,
// and a past step.
func SelectionMatrix(s session.Session, request ...session.MatrixRequest) {
	r := last(request)
	show(s, session.ViewRequest{View: "matrix", Of: r.Of, Top: r.Top, Step: r.Step})
}

// Curves shows losses, accuracies, temperature and the largest probability over
// the epochs, with the events of the session. A request selects the metrics,
// the first step, the number of points and the epochs over which noisy curves
// are smoothed.
func Curves(s session.Session, request ...session.HistoryRequest) {
	r := last(request)
	show(s, session.ViewRequest{View: "curves", Metrics: r.Metrics, From: r.From, Points: r.Points, Smooth: r.Smooth})
}

// Convergence shows how the selection formed: the largest probability of every
// selector over the epochs, in the colour of its leading feature, with changes
// of leader, the point where it settled, and selectors that share a leader.
func Convergence(s session.Session) { show(s, session.ViewRequest{View: "convergence"}) }

// Heatmap shows the selected features in the training rows, by class, in
// standard deviations. With Test in the request it adds the test rows, which
// counts as a look at them.
func Heatmap(s session.Session, request ...session.RowsRequest) {
	show(s, session.ViewRequest{View: "heatmap", Test: last(request).Test})
}

// PCA shows the training rows on the first two principal components of the
// selected features, next to the components of as many random features.
func PCA(s session.Session) { show(s, session.ViewRequest{View: "pca"}) }

// Distributions shows each selected feature in the training rows, class by
// class, as densities or points. All classes have the same area, regardless of
// their number of rows.
func Distributions(s session.Session) { show(s, session.ViewRequest{View: "distributions"}) }

// SelectionTable shows the K features that are chosen now, most probable first.
func SelectionTable(s session.Session) { show(s, session.ViewRequest{View: "selection"}) }

// Summary shows the outcome of the training: a sentence about the test rows,
// which counts as a look at them, and the features, each with the class in
// which it stands out.
func Summary(s session.Session) { show(s, session.ViewRequest{View: "summary"}) }

// Feature shows one feature: its training rows by class, its embedding, and its
// course in P. You name it by its name in the file or by its 0-based column
// there, such as "0".
func Feature(s session.Session, feature string) {
	show(s, session.ViewRequest{View: "feature", Feature: session.Which(feature)})
}

// Evaluation shows how well the network predicts the "train", "validation" or
// "test" rows from the selected features, compared with always predicting the
// most frequent class. Looks at the test rows are counted, and the picture
// shows their number.
func Evaluation(s session.Session, part string) {
	show(s, session.ViewRequest{View: "evaluation", Part: part})
}

// TrainingPanel shows a panel that steps, runs and pauses the session and
// changes its live hyperparameters. It outlives its cell and works while other
// cells run.
func TrainingPanel(s session.Session) { show(s, session.ViewRequest{View: "panel"}) }

// LiveMatrix shows the selection matrix as a view that follows the run and
// outlives its cell. The user selects the matrix, the columns and the step in
// it, and clicks on a cell to see the feature. A request sets what it shows
// first.
func LiveMatrix(s session.Session, request ...session.MatrixRequest) {
	r := last(request)
	show(s, session.ViewRequest{View: "matrix", Live: true, Of: r.Of, Top: r.Top, Step: r.Step})
}

// AnnealingInspector shows the temperature schedule and, for each selector, its
// leader, the leader's probability and age, and the step at which it settles.
// The user can drag the points of the schedule that are ahead of the current
// step. It outlives its cell and works while other cells run.
func AnnealingInspector(s session.Session) { show(s, session.ViewRequest{View: "anneal"}) }

// FeatureTable shows the chosen features as a table that follows the run and
// outlives its cell: probability, margin, class means and mutual information
// over the training rows. The user can sort it by any column, and copy it or
// save it as CSV.
func FeatureTable(s session.Session) { show(s, session.ViewRequest{View: "table"}) }
