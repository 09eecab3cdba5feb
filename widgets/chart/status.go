package chart

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/session"
)

// Status draws a session at one moment as a line: state, where it stands in its annealing, how it does, on what.
func Status(s session.Status) Picture {
	facts := append([]string{plain(string(s.State))}, statusFacts(s)...)
	line := plain(s.Session) + " " + strings.Join(facts, " · ")
	html := fmt.Sprintf(`<div><span style="color:%s">●</span> <b>%s</b> %s</div>`, stateColour(s.State).css(), escape(s.Session), escape(strings.Join(facts, " · ")))
	return Picture{HTML: html, Text: line + "\n", Alt: line + "."}
}

func statusFacts(s session.Status) []string {
	var facts []string
	if s.Reason != "" {
		facts = append(facts, plain(s.Reason))
	}
	facts = append(facts, fmt.Sprintf("step %d of %d", s.Step, s.Steps), epochs(s), "τ "+number(s.Tau))
	if s.Trained {
		facts = append(facts, fmt.Sprintf("loss %s (class %s, reconstruction %s)", number(s.Loss), number(s.LossClass), number(s.LossReconstruction)))
		accuracy := "training accuracy " + fixed(s.AccuracyTrain, 3)
		switch {
		case s.AccuracyValidation != nil:
			accuracy += ", validation " + fixed(*s.AccuracyValidation, 3)
		case s.Validate > 0:
			accuracy += ", validation none yet"
		}
		facts = append(facts, accuracy)
	}
	if s.Config.K > 0 {
		settled := fmt.Sprintf("%d of %s settled", s.SettledRows, counted(s.Config.K, "selector"))
		if s.MaxProbability != nil { // P has been looked at
			settled += ", largest probability " + chance(*s.MaxProbability) + " on average"
		}
		facts = append(facts, settled)
	}
	if s.Backend != "" {
		facts = append(facts, plain(s.Backend))
	}
	return append(facts, caveats(s)...)
}

// caveats are what a person should know beside how the training does.
func caveats(s session.Status) []string {
	var list []string
	if s.ReadOnly {
		list = append(list, "for reading only")
	}
	if s.Warning != "" {
		list = append(list, "⚠ "+plain(s.Warning))
	}
	return list
}

func epochs(s session.Status) string {
	text := "epoch " + number(s.Epoch)
	if s.Config.Epochs > 0 {
		text += fmt.Sprintf(" of %d", s.Config.Epochs)
	}
	return text
}

func stateColour(s session.State) rgb {
	switch s {
	case session.Running:
		return blue
	case session.Settled, session.Done:
		return green
	case session.Broken:
		return vermillion
	default:
		return grey
	}
}
