package widgets

import "fsnetlab/fsnet/session"

// Feature shows one feature: its training rows by class, its embedding, and its course in P. It is named as in the file, or by its column
// there ("0" is the first); names go before numbers.
func Feature(s session.Session, feature string) {
	s.Must().Show("feature", map[string]any{"feature": feature})
}
