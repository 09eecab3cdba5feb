package widgets

import "fsnetlab/fsnet/session"

// Status shows in one line where the session stands.
func Status(s session.Session) {
	s.Must().Show("status", nil)
}
