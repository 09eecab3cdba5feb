package widgets

import "fsnetlab/fsnet/session"

// SelectionMatrix shows the selection matrix as a heat map: P, or with Of "sample" or "soft" what the temperature makes of it, at most
// Top columns (0 is 40), now or after the past step Step. Of several requests, what a later one gives wins.
func SelectionMatrix(s session.Session, request ...session.MatrixRequest) {
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
	s.Must().Show("matrix", options)
}
