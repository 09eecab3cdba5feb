package widgets

import "fsnetlab/fsnet/session"

// SelectionMatrix shows the selection matrix as a heat map: P, or with Of "sample" or "soft" what the temperature makes of it, at most
// Top columns (0 is 40), now or after the past step Step. Of several requests, what a later one gives wins.
func SelectionMatrix(s session.Session, request ...session.MatrixRequest) {
	s.Must().Show("matrix", matrixOptions(request))
}

func matrixOptions(request []session.MatrixRequest) map[string]any {
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
	return options
}

// LiveMatrix shows the matrix of a session as a view that follows the run and stays alive after its cell: what it shows, how many columns
// and which step are set in it, and a click on a cell shows that feature. A request says what it begins with.
func LiveMatrix(s session.Session, request ...session.MatrixRequest) {
	options := matrixOptions(request)
	options["live"] = true
	s.Must().Show("matrix", options)
}
