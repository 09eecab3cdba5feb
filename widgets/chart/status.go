package chart

import (
	"fmt"
	"math"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/scene"
)

// Status draws a session at one moment as a line: state, where it stands in its annealing, how it does, on what.
func Status(s session.Status) Picture {
	facts := append([]string{plain(string(s.State))}, statusFacts(s)...)
	line := plain(s.Session) + " " + strings.Join(facts, " · ")
	html := fmt.Sprintf(`<div><span style="color:%s">●</span> <b>%s</b> %s</div>`, stateColour(s.State).CSS(), escape(s.Session), escape(strings.Join(facts, " · ")))
	return Picture{HTML: html, Text: line + "\n", Alt: line + "."}
}

func statusFacts(s session.Status) []string {
	var facts []string
	if s.Reason != "" {
		facts = append(facts, plain(s.Reason))
	}
	facts = append(facts, fmt.Sprintf("step %d of %d", s.Step, s.Steps), epochs(s), "τ "+number(s.Tau))
	if s.Sharpness > 1 {
		facts = append(facts, "σ "+number(s.Sharpness))
	}
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

func stateColour(s session.State) scene.RGB {
	switch s {
	case session.Running:
		return scene.Blue
	case session.Settled, session.Done:
		return scene.Green
	case session.Broken:
		return scene.Vermillion
	default:
		return scene.Grey
	}
}

// Progress draws a step or run in progress as one line: a bar up to its target, percent, epoch, temperature, loss, speed, time left.
func Progress(p session.Progress) Picture {
	share := progressShare(p)
	facts := strings.Join(progressFacts(p, share), " · ")
	name := plain(p.Status.Session)
	if name == "" {
		name = plain(p.Session)
	}
	line := fmt.Sprintf("%s ▕%s▏ %s", name, bar(share, 20), facts)
	html := fmt.Sprintf(`<div style="font-variant-numeric:tabular-nums"><b>%s</b> %s %s</div>`, escape(name), htmlBar(share, 140, scene.Blue), escape(facts))
	return Picture{HTML: html, Text: line + "\n", Alt: name + ": " + facts + "."}
}

// progressShare is how much of the way from the first step to the target is made. A status far beyond its target is at its end.
func progressShare(p session.Progress) float64 {
	target := p.Target
	if target <= 0 {
		target = p.Status.Steps
	}
	if target <= 0 {
		return 0
	}
	return min(1, max(0, float64(p.Status.Step)/float64(target)))
}

func progressFacts(p session.Progress, share float64) []string {
	s := p.Status
	facts := []string{percent(share), epochs(s), "τ " + number(s.Tau)}
	if s.Trained {
		facts = append(facts, "loss "+number(s.Loss))
	}
	if s.StepsPerSecond > 0 && finite(s.StepsPerSecond) {
		facts = append(facts, number(s.StepsPerSecond)+" steps/s")
	}
	if s.SecondsLeft > 0 && finite(s.SecondsLeft) && share < 1 {
		facts = append(facts, Duration(s.SecondsLeft)+" left")
	}
	return append(facts, caveats(s)...)
}

// Duration says how long in at most two units: 4 s, 2 min 5 s, 1 h 3 min.
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
