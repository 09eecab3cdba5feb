package widgets

import "fsnetlab/fsnet/session"

// Curves shows losses, accuracies, temperature and the largest probability over the epochs, with the changes made on the way; a request
// narrows the metrics, the first step or the number of points. Of several requests, what a later one gives wins.
func Curves(s session.Session, request ...session.HistoryRequest) {
	options := map[string]any{}
	for _, r := range request {
		if len(r.Metrics) > 0 {
			options["metrics"] = r.Metrics
		}
		if r.From != 0 {
			options["from"] = r.From
		}
		if r.Points != 0 {
			options["points"] = r.Points
		}
	}
	s.Must().Show("curves", options)
}
