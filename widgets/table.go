package widgets

import "fsnetlab/fsnet/session"

// SelectionTable shows the K features that are chosen now, by falling probability.
func SelectionTable(s session.Session) {
	s.Must().Show("selection", nil)
}

// FeatureTable shows the chosen features as a table that follows the run and stays alive after its cell: probability, margin, the means of
// the classes and the information over the training rows, sorted by any column, to be copied or saved as CSV.
func FeatureTable(s session.Session) {
	s.Must().Show("table", nil)
}
