package widgets

import "fsnetlab/fsnet/session"

// TrainingPanel shows the panel of the session: buttons that step, run and pause it, its live hyperparameters, and where it stands. It
// stays alive after its cell and while other cells run.
func TrainingPanel(s session.Session) {
	s.Must().Show("panel", nil)
}

// LiveMatrix shows the matrix of a session as a view that follows the run and stays alive after its cell: what it shows, how many columns
// and which step are set in it, and a click on a cell shows that feature. A request says what it begins with.
func LiveMatrix(s session.Session, request ...session.MatrixRequest) {
	options := matrixOptions(request)
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
