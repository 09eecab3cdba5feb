package views

import (
	"fmt"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// headState is the session's name, its state, what trains its selectors, and what does not work beside the training.
func headState(s session.Status) map[string]any {
	data := ""
	if s.Dataset != "" {
		data = fmt.Sprintf("%s, %d × %d, K = %d", s.Dataset, s.N, s.D, s.Config.K)
	}
	if s.Backend != "" && data != "" {
		data += ", on " + s.Backend
	}
	return map[string]any{
		"session": s.Session, "state": string(s.State), "reason": s.Reason, "data": data, "method": s.Method(), "read_only": s.ReadOnly, "warning": s.Warning,
		"directory": s.RunDirectory,
	}
}

// factsState is where the session stands: the class, the title and the text of each value.
func factsState(s session.Status) []any {
	const none = "–"
	trained := func(v float64, write func(float64) string) string {
		if !s.Trained || !words.Finite(v) {
			return none
		}
		return write(v)
	}
	share := func(v float64) string { return words.Fixed(v, 3) }
	validation := none
	reached, train, held := s.Reached()
	if held != nil { // there is none before the first look at P
		if validation = trained(*held, share); s.Validate > 0 && validation != none {
			validation += " of " + count.Of(s.Validate, "row")
		}
	}
	speed, left := none, none
	if s.Compiling {
		speed = "compiling, about a second"
	} else if s.StepsPerSecond > 0 {
		speed = words.Number(s.StepsPerSecond) + " steps/s"
		if s.State == session.Running && s.SecondsLeft > 0 {
			left = chart.Duration(s.SecondsLeft)
		}
	}
	settled := none
	if s.Trained {
		settled = fmt.Sprintf("%d of %d", s.SettledRows, s.Config.K)
	}
	return []any{
		[]any{"step", "step", fmt.Sprintf("%d of %d", s.Step, s.Steps)},
		[]any{"epoch", "epoch", fmt.Sprintf("%s of %d", words.Number(s.Epoch), s.Config.Epochs)},
		[]any{"tau", "temperature τ", words.Number(s.Tau)},
		[]any{"sharpness", "sharpness σ", words.Number(s.Sharpness)},
		[]any{"loss", "loss", trained(s.Loss, words.Number)},
		[]any{"loss-class", "loss, " + s.Learned(), trained(s.LossClass, words.Number)},
		[]any{"loss-reconstruction", "loss, reconstruction", trained(s.LossReconstruction, words.Number)},
		[]any{"accuracy-train", reached + ", training", trained(train, share)},
		[]any{"accuracy-validation", reached + ", validation", validation},
		[]any{"settled", "selectors settled", settled},
		[]any{"speed", "speed", speed},
		[]any{"left", "time left", left},
	}
}

// ended says why steps ended, where that is more than that they were made.
func ended(s session.Status) string {
	switch s.State {
	case session.Settled, session.Done, session.Broken:
		return s.Reason
	}
	return ""
}
