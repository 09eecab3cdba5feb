package widgets

import "fsnetlab/fsnet/session"

// TrainingPanel shows the panel of the session: buttons that step, run and pause it, its live hyperparameters, and where it stands. It
// stays alive after its cell and while other cells run.
func TrainingPanel(s session.Session) {
	s.Must().Show("panel", nil)
}
