package views

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// factsState returns the facts of the status line: class, title, text and hint
// of each. It omits unknown facts. Losses and scores are next to their curves.
func factsState(s session.Status) []any {
	facts := []any{
		[]any{"step", "step", fmt.Sprintf("%d of %d", s.Step, s.Steps), ""},
		[]any{"epoch", "epoch", fmt.Sprintf("%s of %d", words.Number(s.Epoch), s.Config.Epochs), ""},
		[]any{"tau", "τ", words.Number(s.Tau), "temperature of the next step"},
	}
	if s.Sharpness > 1 {
		facts = append(facts, []any{"sharpness", "σ", words.Number(s.Sharpness), "sharpness of P at the next step"})
	}
	if s.Trained {
		facts = append(facts, []any{"settled", "", fmt.Sprintf("%d of %d settled", s.SettledRows, s.Config.K),
			"selectors whose leader has 0.9 or more, and has led for a twentieth of the annealing"})
	}

	if s.Final != nil {
		facts = append(facts, []any{"final", "", s.Final.String(), "small networks on the chosen features alone, made when the training was over"})
	}

	if s.Compiling {
		return append(facts, []any{"speed", "", "compiling, about a second", ""})
	}

	if s.StepsPerSecond > 0 {
		facts = append(facts, []any{"speed", "", words.Number(s.StepsPerSecond) + " steps/s", ""})
		if s.State == session.Running && s.SecondsLeft > 0 {
			facts = append(facts, []any{"left", "", chart.Duration(s.SecondsLeft) + " left", ""})
		}
	}
	return facts
}

// pastStatus returns the status after a look at P in the past, with the
// settings of that time.
func pastStatus(h session.History, s session.Status, step int) session.Status {
	if s.Final != nil && s.Final.Step > step {
		s.Final = nil
	}
	if s.Contest != nil && s.Contest.Step > step {
		s.Contest = nil
	}
	s.Step, s.Epoch = step, float64(step)/float64(max(1, h.PerEpoch))
	s.Compiling, s.StepsPerSecond, s.SettledRows = false, 0, 0
	s.Trained = s.Trained && step > 0

	for _, e := range slices.Backward(h.Events) {
		for _, c := range e.Changes {
			var back config.Config
			if e.Step > step && back.Set(c.Key, c.From) == nil {
				if before, _, err := s.Config.Apply(back); err == nil {
					s.Config = before
				}
			}
		}
	}
	if course, err := s.Config.Course(); err == nil {
		s.Tau, s.Sharpness = course.Tau(s.Epoch), course.Sharpness(s.Epoch)
	}

	if h.Selectors != nil {
		for _, since := range h.Selectors.Settled {
			if since > 0 && since <= step {
				s.SettledRows++
			}
		}
	}
	return s
}
