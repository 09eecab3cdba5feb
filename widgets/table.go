package widgets

import "fsnetlab/fsnet/session"

// SelectionTable shows the K features that are chosen now, by falling probability.
func SelectionTable(s session.Session) {
	s.Must().Show("selection", nil)
}
