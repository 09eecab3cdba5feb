package chart

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Status draws a session's status as a line: its state, its position in the
// annealing, its scores, what trains it, and its data.
func Status(s session.Status) Picture {
	facts := append([]string{words.Plain(string(s.State))}, statusFacts(s)...)
	line := words.Plain(s.Session) + " " + strings.Join(facts, " · ")
	html := fmt.Sprintf(`<div><span style="color:%s">●</span> <b>%s</b> %s</div>`, stateColour(s.State).CSS(), words.Escape(s.Session),
		words.Escape(strings.Join(facts, " · ")))
	return Picture{HTML: html, Text: line + "\n", Alt: line + "."}
}

// statusFacts returns what Status says after the state, as far as it is known,
// with caveats last.
func statusFacts(s session.Status) []string {
	var facts []string
	if s.Reason != "" {
		facts = append(facts, words.Plain(s.Reason))
	}

	facts = append(facts, fmt.Sprintf("step %d of %d", s.Step, s.Steps), epochs(s), "τ "+words.Number(s.Tau))
	if s.Sharpness > 1 {
		facts = append(facts, "σ "+words.Number(s.Sharpness))
	}

	if s.Trained {
		facts = append(facts, fmt.Sprintf("loss %s (%s %s, reconstruction %s)", words.Number(s.Loss), s.Learned(), words.Number(s.LossClass),
			words.Number(s.LossReconstruction)))
		score := "training " + s.TrainScore.Metric.Name() + " " + words.Fixed(s.TrainScore.Value, 3)

		switch {
		case s.ValidationScore != nil:
			score += ", validation " + words.Fixed(s.ValidationScore.Value, 3) + ofRows(s.Validate)
		case s.Validate > 0:
			score += ", validation none yet"
		}

		if s.Final != nil {
			score = session.TrainedNetwork + ": " + score
		}
		facts = append(facts, score)
		if s.Final != nil {
			facts = append(facts, words.Plain(s.Final.String()))
		}
	}

	if s.Config.K > 0 {
		settled := fmt.Sprintf("%d of %s settled", s.SettledRows, phrase.Count(s.Config.K, "selector"))
		if s.MaxProbability != nil { // P has been looked at
			settled += ", largest probability " + words.Chance(*s.MaxProbability) + " on average"
		}
		facts = append(facts, settled)
	}

	if method := s.Method(); method != "" {
		facts = append(facts, method)
	}
	if s.Backend != "" {
		facts = append(facts, words.Plain(s.Backend))
	}

	return append(facts, caveats(s)...)
}

// ofRows returns " of N rows" for the rows that a score is computed from,
// because of 7 rows, .857 is one mistake. It returns "" for 0.
func ofRows(n int) string {
	if n == 0 {
		return ""
	}
	return " of " + phrase.Count(n, "row")
}

// caveats returns warnings that accompany a training's status.
func caveats(s session.Status) []string {
	var list []string
	if s.ReadOnly {
		list = append(list, "read-only")
	}
	if s.Warning != "" {
		list = append(list, "⚠ "+words.Plain(s.Warning))
	}
	return list
}

// epochs returns the current epoch and, if it is known, the number of epochs.
func epochs(s session.Status) string {
	text := "epoch " + words.Number(s.Epoch)
	if s.Config.Epochs > 0 {
		text += fmt.Sprintf(" of %d", s.Config.Epochs)
	}
	return text
}

// stateColour returns the colour of a state. It is grey for states that need no
// notice, such as a paused or closed session.
func stateColour(s session.State) spec.RGB {
	switch s {
	case session.Running:
		return spec.Blue
	case session.Settled, session.Done:
		return spec.Green
	case session.Broken:
		return spec.Vermillion
	default:
		return spec.Grey
	}
}

// Progress draws a step or run in progress as one line: a bar up to its target,
// percent, epoch, temperature, loss, speed and remaining time. Except in a
// terminal it states its time, because a reloaded page receives no later update
// and its notebook keeps the line.
func Progress(p session.Progress, at time.Time) Picture {
	share := progressShare(p)
	facts := strings.Join(progressFacts(p, share), " · ")
	name := words.Plain(p.Status.Session)
	if name == "" {
		name = words.Plain(p.Session)
	}
	line := fmt.Sprintf("%s ▕%s▏ %s", name, words.Bar(share, 20), facts)
	when := " · as of " + at.Format(time.DateTime)
	html := fmt.Sprintf(`<div style="font-variant-numeric:tabular-nums"><b>%s</b> %s %s</div>`, words.Escape(name),
		words.HTMLBar(share, 140, spec.Blue.CSS()), words.Escape(facts+when))
	return Picture{HTML: html, Text: line + when + "\n", Alt: name + ": " + facts + when + "."}.WithTerminal(line + "\n")
}

// progressShare returns how much of the way from step 0 to the target is done,
// from 0 to 1. Without a target it uses the last step.
func progressShare(p session.Progress) float64 {
	target := cmp.Or(p.Target, p.Status.Steps)
	if target <= 0 {
		return 0
	}
	return min(1, max(0, float64(p.Status.Step)/float64(target)))
}

// progressFacts returns percent (share), epoch, τ, loss, speed and remaining
// time, each if it is known, with caveats last.
func progressFacts(p session.Progress, share float64) []string {
	s := p.Status
	facts := []string{words.Percent(share), epochs(s), "τ " + words.Number(s.Tau)}
	if s.Trained {
		facts = append(facts, "loss "+words.Number(s.Loss))
	}
	if s.Compiling {
		facts = append(facts, "compiling, about a second")
	} else if rate := s.StepsPerSecond; rate > 0 && words.Finite(rate) {
		facts = append(facts, words.Number(rate)+" steps/s")
		if left := float64(cmp.Or(p.Target, s.Steps)-s.Step) / rate; left > 0 {
			facts = append(facts, Duration(left)+" left")
		}
	}
	return append(facts, caveats(s)...)
}

// Duration formats seconds in at most two units: 4 s, 2 min 5 s, 1 h 3 min.
func Duration(seconds float64) string {
	s := int(math.Min(math.Ceil(seconds), 1e9))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	}
}
