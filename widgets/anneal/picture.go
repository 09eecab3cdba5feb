package anneal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// draw is the annealing for readers without a kernel: temperature and sharpness so far and ahead as PNG, the selectors as text.
func (v *View) draw() ipywidgets.Bundle {
	v.mu.Lock()
	selected, known := slices.Clone(v.selected), v.history
	v.mu.Unlock()
	status := v.Status()
	picture := chart.Status(status)
	picture.HTML = "" // a front end would show it in place of the curves
	h, err := live.Ask(v.Life, func(ctx context.Context) (session.History, error) {
		return v.Session.History(ctx, session.HistoryRequest{Metrics: []string{"tau", "sharpness", "max_probability"}})
	})
	if err != nil && len(known.Curves) > 0 {
		h, err = known, nil
	}
	if err == nil {
		if p, err := chart.Annealing(h, Temperature.ahead(status), Sharpness.ahead(status)); err == nil {
			p.Text = picture.Text
			picture = p
		}
	}
	if len(selected) == 0 {
		// without one the text is the status
		selected, _ = live.Ask(v.Life, func(ctx context.Context) ([]session.Selected, error) { return v.Session.Selection(ctx) })
	}
	picture.Text += text(selected, status)
	return live.Snapshot(picture)
}

// ahead is what the schedule will set, from the present step to the last.
func (d Drawn) ahead(s session.Status) session.Curve {
	plan, err := d.along(s, curve, true)
	if err != nil { // not reached: settings are checked
		return session.Curve{}
	}
	c := session.Curve{Steps: []int{s.Step}, Values: []float64{d.drawing().now(s)}}
	for _, p := range plan {
		if step := int(p.Epoch * float64(max(1, s.StepsPerEpoch))); step > s.Step {
			c.Steps, c.Values = append(c.Steps, step), append(c.Values, p.Value)
		}
	}
	return c
}

// changed says how often a leader did.
func changed(n int) string {
	switch n {
	case 0:
		return "never changed"
	case 1:
		return "changed once"
	}
	return fmt.Sprintf("changed %d times", n)
}

// settling says when a selector settles, as the page does.
func settling(s session.Selected, now session.Status) string {
	switch at := s.SettlesAt; {
	case at == nil:
		return "no trend to settle"
	case *at > now.Steps:
		return "does not settle within this schedule"
	case *at <= now.Step && s.Leader.Probability >= 0.9:
		return fmt.Sprintf("settled at step %d", *at)
	default:
		return fmt.Sprintf("settles at about step %d", *at)
	}
}

// text is a line a selector.
func text(selected []session.Selected, now session.Status) string {
	var b strings.Builder
	for _, s := range slices.SortedFunc(slices.Values(selected),
		func(a, b session.Selected) int { return cmp.Compare(a.Selector, b.Selector) }) {
		fmt.Fprintf(&b, "\nselector %d: %s %.3f, entropy %.2f bits, margin %.3f, leader since step %d, %s, %s",
			s.Selector, live.OneLine(s.Leader.Name), s.Leader.Probability, s.Entropy, s.Leader.Probability-s.Second.Probability,
			s.LeadsSince, changed(s.Changes), settling(s, now))
		if s.LostTo != nil {
			fmt.Fprintf(&b, "; duplicate: selector %d has it, this one gets %s", *s.LostTo, live.OneLine(s.Name))
		}
	}
	return b.String()
}
