package widgets

import "fsnetlab/fsnet/session"

// Evaluation shows how well the network does on the selected features of the "train" or "test" rows, beside always naming the most
// frequent class. Looks at the test rows are counted, and the picture says how many there were.
func Evaluation(s session.Session, part string) {
	s.Must().Show("evaluation", map[string]any{"part": part})
}
