package widgets

import "fsnetlab/fsnet/session"

// AnnealingInspector shows the temperature schedule, whose points ahead of the present step can be dragged, and of each selector what it
// leads to: its feature, how surely, since when, and when it will be settled. It stays alive after its cell and while other cells run.
func AnnealingInspector(s session.Session) {
	s.Must().Show("anneal", nil)
}
