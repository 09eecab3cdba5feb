package widgets

import (
	"encoding/json"

	"fsnetlab/fsnet/session"
)

// Status shows in one line where the session stands.
func Status(s session.Session) {
	s.Must().Show("status", nil)
}

// SelectionMatrix shows the selection matrix as a heat map: P, or with Of "sample" or "soft" what the temperature makes of it, at most
// Top columns (0 is 40), now or after the past step Step. Of several requests, what a later one gives wins.
func SelectionMatrix(s session.Session, request ...session.MatrixRequest) {
	s.Must().Show("matrix", merged(request))
}

// merged is requests as options of a view: of several, what a later one gives wins.
func merged[R any](requests []R) map[string]any {
	options := map[string]any{}
	for _, r := range requests {
		if text, err := json.Marshal(r); err == nil {
			_ = json.Unmarshal(text, &options) // a request is an object, and says only what is given
		}
	}
	return options
}

// Curves shows losses, accuracies, temperature and the largest probability over the epochs, with the changes made on the way; a request
// narrows the metrics, the first step or the number of points, and says over how many epochs noisy curves are smoothed (Smooth: new(0) is
// not at all). Of several requests, what a later one gives wins.
func Curves(s session.Session, request ...session.HistoryRequest) {
	s.Must().Show("curves", merged(request))
}

// Convergence shows how the selection formed: the largest probability of every selector over the epochs, in the colour of the feature that
// leads it, with changes of leader, where it settled, and who shares a leader.
func Convergence(s session.Session) {
	s.Must().Show("convergence", nil)
}

// Heatmap shows the selected features in the training rows, by class, in standard deviations. With Test in a request the test rows stand
// below: a look at them, which is counted.
func Heatmap(s session.Session, request ...session.RowsRequest) {
	s.Must().Show("heatmap", merged(request))
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
// that each stands out in.
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

// TrainingPanel shows the panel of the session: buttons that step, run and pause it, its live hyperparameters, and where it stands. It
// stays alive after its cell and while other cells run.
func TrainingPanel(s session.Session) {
	s.Must().Show("panel", nil)
}

// LiveMatrix shows the matrix of a session as a view that follows the run and stays alive after its cell: what it shows, how many columns
// and which step are set in it, and a click on a cell shows that feature. A request says what it begins with.
func LiveMatrix(s session.Session, request ...session.MatrixRequest) {
	options := merged(request)
	options["live"] = true
	s.Must().Show("matrix", options)
}

// AnnealingInspector shows the temperature schedule, whose points ahead of the present step can be dragged, and of each selector what it
// leads to: its feature, how surely, since when, and when it will be settled. It stays alive after its cell and while other cells run.
func AnnealingInspector(s session.Session) {
	s.Must().Show("anneal", nil)
}

// FeatureTable shows the chosen features as a table that follows the run and stays alive after its cell: probability, margin, the means of
// the classes and the information over the training rows, sorted by any column, to be copied or saved as CSV.
func FeatureTable(s session.Session) {
	s.Must().Show("table", nil)
}
