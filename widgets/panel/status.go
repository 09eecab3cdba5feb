package panel

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
)

// dot is the colour of a state: Okabe and Ito's, which are told apart with any colour vision, lightened to read in a dark theme.
func dot(s session.State) string {
	switch s {
	case session.Running:
		return "#2a8fd0"
	case session.Settled, session.Done:
		return "#009e73"
	case session.Broken:
		return failed
	}
	return "#8a8a8a"
}

func barLook(s session.State) string {
	switch s {
	case session.Running:
		return "info"
	case session.Settled, session.Done:
		return "success"
	case session.Broken:
		return "danger"
	}
	return ""
}

// headline is the session's name and state.
func headline(s session.Status) string {
	reason := ""
	if s.Reason != "" {
		reason = " (" + html.EscapeString(s.Reason) + ")"
	}
	data := ""
	if s.Dataset != "" {
		data = fmt.Sprintf(`<span style="opacity:0.65;margin-left:12px">%s, %d × %d, K = %d</span>`, html.EscapeString(s.Dataset), s.N, s.D, s.Config.K)
	}
	notes := ""
	if s.ReadOnly {
		notes += ` <span class="fsnet-read-only">· read only: it can be looked at and forked</span>`
	}
	if s.Warning != "" {
		notes += fmt.Sprintf(`<div class="fsnet-warning" style="color:%s">%s</div>`, failed, html.EscapeString(s.Warning))
	}
	directory := ""
	if s.RunDirectory != "" {
		directory = ` title="` + html.EscapeString("its checkpoints are in "+s.RunDirectory) + `"`
	}
	return fmt.Sprintf(`<div style="line-height:1.5"><span style="color:%s">●</span> <b class="fsnet-name"%s>%s</b> <span class="fsnet-state">%s</span>%s%s%s</div>`,
		dot(s.State), directory, html.EscapeString(s.Session), html.EscapeString(string(s.State)), reason, data, notes)
}

// facts is where the session stands, as a grid of named values.
func facts(s session.Status) string {
	const none = "–"
	trained := func(format string, v float64) string {
		if !s.Trained || math.IsNaN(v) || math.IsInf(v, 0) {
			return none
		}
		return fmt.Sprintf(format, v)
	}
	validation := none
	if s.AccuracyValidation != nil { // there is none before the first look at P
		validation = trained("%.3f", *s.AccuracyValidation)
	}
	speed, left := none, none
	if s.StepsPerSecond > 0 {
		speed = strconv.Itoa(int(math.Round(s.StepsPerSecond))) + " steps/s"
		if s.StepsPerSecond < 10 {
			speed = fmt.Sprintf("%.2g steps/s", s.StepsPerSecond)
		}
		if s.Step < s.Steps && s.SecondsLeft > 0 {
			left = chart.Duration(s.SecondsLeft)
		}
	}
	settled := none
	if s.Trained {
		settled = fmt.Sprintf("%d of %d", s.SettledRows, s.Config.K)
	}
	device := s.Backend
	if device == "" {
		device = none
	}
	var b strings.Builder
	b.WriteString(`<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(112px,1fr));gap:6px 14px;line-height:1.35;font-variant-numeric:tabular-nums">`)
	for _, f := range [][3]string{
		{"step", "step", strconv.Itoa(s.Step) + " of " + strconv.Itoa(s.Steps)},
		{"epoch", "epoch", fmt.Sprintf("%.4g of %d", s.Epoch, s.Config.Epochs)},
		{"tau", "temperature τ", fmt.Sprintf("%.3g", s.Tau)},
		{"loss", "loss", trained("%.4g", s.Loss)},
		{"loss-class", "loss, class", trained("%.4g", s.LossClass)},
		{"loss-reconstruction", "loss, reconstruction", trained("%.4g", s.LossReconstruction)},
		{"accuracy-train", "accuracy, training", trained("%.3f", s.AccuracyTrain)},
		{"accuracy-validation", "accuracy, validation", validation},
		{"settled", "selectors settled", settled},
		{"speed", "speed", speed},
		{"left", "time left", left},
		{"device", "device", device},
	} {
		fmt.Fprintf(&b, `<div><div style="opacity:0.65;font-size:85%%;white-space:nowrap">%s</div><div class="fsnet-%s" style="white-space:nowrap">%s</div></div>`,
			f[1], f[0], html.EscapeString(f[2]))
	}
	b.WriteString(`</div>`)
	return b.String()
}

// share is how much of the annealing is made.
func share(s session.Status) float64 {
	if s.Steps <= 0 {
		return 0
	}
	return min(max(float64(s.Step)/float64(s.Steps), 0), 1)
}

// ended says why steps ended, where that is more than that they were made.
func ended(s session.Status) string {
	switch s.State {
	case session.Settled, session.Done, session.Broken:
		return s.Reason
	}
	return ""
}

// failed is the colour of what went wrong.
const failed = "#d55e00"

// say shows a line below the controls.
func (p *Panel) say(text string) { p.note(text, "inherit") }

// fail shows why something was not done.
func (p *Panel) fail(err error) { p.note(err.Error(), failed) }

func (p *Panel) note(text, colour string) {
	if text != "" {
		text = html.EscapeString(strings.Join(strings.Fields(text), " "))
	} else {
		text = "&nbsp;" // the line keeps its height
	}
	p.message.Value.Set(fmt.Sprintf(`<div role="status" class="fsnet-message" style="line-height:1.4;margin-top:4px;color:%s">%s</div>`, colour, text))
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
