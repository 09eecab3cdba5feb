package chart

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/session"
)

// Curves draws the history of a training.
func Curves(h session.History) (Picture, error) {
	t := fmt.Sprintf("curves of %s at step %d: %d metrics, %d events", h.Session, h.Step, len(h.Curves), len(h.Events))
	return Picture{Text: t, Alt: t}, nil
}

// Selection draws the chosen features as a table.
func Selection(selected []session.Selected) Picture {
	var b strings.Builder
	for _, f := range selected {
		fmt.Fprintf(&b, "%3d  %-30s %.3f\n", f.Rank, f.Name, f.Probability)
	}
	return Picture{Text: b.String(), Alt: fmt.Sprintf("%d selected features", len(selected))}
}

// Evaluation draws how well the network does on the selected features.
func Evaluation(e session.Evaluation) Picture {
	t := fmt.Sprintf("accuracy on %s rows %.3f (majority %.3f)", e.Part, e.Accuracy, e.Majority)
	return Picture{Text: t, Alt: t}
}

// Status draws a session at one moment as a line.
func Status(s session.Status) Picture {
	t := fmt.Sprintf("%s %s epoch %.1f tau %.3g loss %.3g", s.Session, s.State, s.Epoch, s.Tau, s.Loss)
	return Picture{Text: t, Alt: t}
}

// Progress draws a run in progress as a bar.
func Progress(p session.Progress) Picture {
	t := fmt.Sprintf("step %d of %d epoch %.1f tau %.3g loss %.3g", p.Status.Step, p.Target, p.Status.Epoch, p.Status.Tau, p.Status.Loss)
	return Picture{Text: t, Alt: t}
}
