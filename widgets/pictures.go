package widgets

import "fsnetlab/fsnet/session"

// Status shows in one line where the session stands.
func Status(s session.Session) {
	s.Must().Show("status", nil)
}

// SelectionMatrix shows the selection matrix as a heat map: P, or with Of "sample" or "soft" what the temperature makes of it, at most
// Top columns (0 is 40), now or after the past step Step. Of several requests, what a later one gives wins.
func SelectionMatrix(s session.Session, request ...session.MatrixRequest) {
	s.Must().Show("matrix", matrixOptions(request))
}

func matrixOptions(request []session.MatrixRequest) map[string]any {
	options := map[string]any{}
	for _, r := range request {
		if r.Of != "" {
			options["of"] = r.Of
		}
		if r.Top != 0 {
			options["top"] = r.Top
		}
		if r.Step != nil {
			options["step"] = *r.Step
		}
	}
	return options
}

// Curves shows losses, accuracies, temperature and the largest probability over the epochs, with the changes made on the way; a request
// narrows the metrics, the first step or the number of points, and says over how many epochs noisy curves are smoothed (Smooth: new(0) is
// not at all). Of several requests, what a later one gives wins.
func Curves(s session.Session, request ...session.HistoryRequest) {
	options := map[string]any{}
	for _, r := range request {
		if len(r.Metrics) > 0 {
			options["metrics"] = r.Metrics
		}
		if r.From != 0 {
			options["from"] = r.From
		}
		if r.Points != 0 {
			options["points"] = r.Points
		}
		if r.Smooth != nil {
			options["smooth"] = *r.Smooth
		}
	}
	s.Must().Show("curves", options)
}

// Convergence shows how the selection formed: the largest probability of every selector over the epochs, in the colour of the feature that
// leads it, with changes of leader, where it settled, and who shares a leader.
func Convergence(s session.Session) {
	s.Must().Show("convergence", nil)
}

// Heatmap shows the selected features in the training rows, by class, in standard deviations. With Test in a request the test rows stand
// below: a look at them, which is counted.
func Heatmap(s session.Session, request ...session.RowsRequest) {
	options := map[string]any{}
	for _, r := range request {
		if r.Test {
			options["test"] = true
		}
	}
	s.Must().Show("heatmap", options)
}

// PCA shows the training rows on the first two principal components of the selected features, beside as many features by chance.
func PCA(s session.Session) {
	s.Must().Show("pca", nil)
}

// Distributions shows each selected feature in the training rows, class by class, as densities or points. Every class has the same area,
// however many rows it has.
func Distributions(s session.Session) {
	s.Must().Show("distributions", nil)
}

// SelectionTable shows the K features that are chosen now, by falling probability.
func SelectionTable(s session.Session) {
	s.Must().Show("selection", nil)
}

// Summary shows what the training came to: one sentence of the test rows, a look at them that is counted, and the features, with the class
// that each is higher in.
func Summary(s session.Session) {
	s.Must().Show("summary", nil)
}

// Feature shows one feature: its training rows by class, its embedding, and its course in P. It is named as in the file, or by its column
// there ("0" is the first); names go before numbers.
func Feature(s session.Session, feature string) {
	s.Must().Show("feature", map[string]any{"feature": feature})
}

// Evaluation shows how well the network does on the selected features of the "train" or "test" rows, beside always naming the most
// frequent class. Looks at the test rows are counted, and the picture says how many there were.
func Evaluation(s session.Session, part string) {
	s.Must().Show("evaluation", map[string]any{"part": part})
}
