package views

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// factsState returns the tiles of a status: class, title and text of each; a dash for what is not
// known.
func factsState(s session.Status) []any {
	const unknown = "–"
	trained := func(v float64, write func(float64) string) string {
		if !s.Trained || !words.Finite(v) {
			return unknown
		}
		return write(v)
	}
	share := func(v float64) string { return words.Fixed(v, 3) }
	validation := unknown
	reached := s.TrainScore.Metric.Name()
	if score := s.ValidationScore; score != nil { // nil before the first look at P
		if validation = trained(score.Value, share); s.Validate > 0 && validation != unknown {
			validation += " of " + phrase.Count(s.Validate, "row")
		}
	}
	of := "" // whose scores the tiles have, once there are two
	if s.Final != nil {
		of = ", " + session.TrainedNetwork
	}
	speed, left, settled := unknown, unknown, unknown
	if s.Compiling {
		speed = "compiling, about a second"
	} else if s.StepsPerSecond > 0 {
		speed = words.Number(s.StepsPerSecond) + " steps/s"
		if s.State == session.Running && s.SecondsLeft > 0 {
			left = chart.Duration(s.SecondsLeft)
		}
	}
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
		[]any{"accuracy-train", reached + ", training" + of, trained(s.TrainScore.Value, share)},
		[]any{"accuracy-validation", reached + ", validation" + of, validation},
		[]any{"final", reached + ", " + session.FinalNetwork, finalScores(s.Final)},
		[]any{"settled", "selectors settled", settled},
		[]any{"speed", "speed", speed},
		[]any{"left", "time left", left},
	}
}

// finalScores returns the known scores of the final networks with their rows, and the step that they
// belong to; a dash for none.
func finalScores(f *session.FinalNetworks) string {
	if f == nil {
		return "–"
	}
	var parts []string
	for _, s := range []struct {
		score *session.Score
		rows  string
	}{{f.Train, "training"}, {f.Validation, "validation"}, {f.Test, "test"}} {
		if s.score != nil {
			parts = append(parts, words.Fixed(s.score.Value, 3)+" "+s.rows)
		}
	}
	return fmt.Sprintf("%s · step %d", strings.Join(parts, ", "), f.Step)
}

// pastStatus returns the status after an earlier step: each value is the history's last one up to
// that step. A loss or score without one is NaN or nil; τ and σ stay those of s.
func pastStatus(h session.History, s session.Status, step int) session.Status {
	at := func(metric string) float64 {
		c := h.Curves[metric]
		i, found := slices.BinarySearch(c.Steps, step)
		if !found {
			i--
		}
		if i < 0 || i >= len(c.Values) {
			return math.NaN()
		}
		return c.Values[i]
	}
	first := func(a, b float64) float64 {
		if math.IsNaN(a) {
			return b
		}
		return a
	}
	if s.Final != nil && s.Final.Step > step {
		s.Final = nil
	}
	if s.Contest != nil && s.Contest.Step > step {
		s.Contest = nil
	}
	s.Step, s.Epoch = step, float64(step)/float64(max(1, h.PerEpoch))
	s.Compiling, s.StepsPerSecond, s.SettledRows = false, 0, 0
	s.Trained = s.Trained && step > 0
	s.Tau, s.Sharpness = first(at("tau"), s.Tau), first(at("sharpness"), s.Sharpness)
	s.Loss, s.LossClass, s.LossReconstruction = at("loss"), at("loss_class"), at("loss_reconstruction")
	s.TrainScore.Value = first(at("accuracy_train"), at("r2_train"))
	if score := first(at("accuracy_validation"), at("r2_validation")); s.ValidationScore == nil || math.IsNaN(score) {
		s.ValidationScore = nil
	} else {
		s.ValidationScore = &session.Score{Metric: s.ValidationScore.Metric, Value: score}
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
