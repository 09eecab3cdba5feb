package anneal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// pictureLimit is how long a picture may wait for the session: it is also drawn while the kernel ends.
const pictureLimit = time.Second

// Picture is the annealing for readers without a kernel: the temperatures so far as PNG, the selectors as text.
func (v *View) Picture() ipywidgets.Bundle {
	v.mu.Lock()
	status, selected := v.status, slices.Clone(v.selected)
	v.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.life), pictureLimit)
	defer cancel()
	bundle := ipywidgets.Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	if h, err := v.service.History(ctx, v.name, session.HistoryRequest{Metrics: []string{"tau", "max_probability"}}); err == nil {
		if p, err := chart.Curves(h); err == nil {
			p.VegaLite = nil // a front end might show it in place of the live view
			bundle = ipywidgets.Bundle{Data: p.Bundle(), Metadata: p.Metadata()}
		}
	}
	if len(selected) == 0 {
		selected, _ = v.service.Selection(ctx, v.name) // without one the text is the status
	}
	bundle.Data[chart.MIMEText] = chart.Status(status).Text + text(selected)
	return bundle
}

// text is a line a selector.
func text(selected []session.Selected) string {
	var b strings.Builder
	for _, s := range slices.SortedFunc(slices.Values(selected), func(a, b session.Selected) int { return cmp.Compare(a.Selector, b.Selector) }) {
		fmt.Fprintf(&b, "\nselector %d: %s %.3f, entropy %.2f bits, margin %.3f, leader since step %d, changed %d times",
			s.Selector, oneLine(s.Leader.Name), s.Leader.Probability, s.Entropy, s.Leader.Probability-s.Second.Probability, s.SettledSince, s.Changes)
		if s.LostTo != nil {
			fmt.Fprintf(&b, "; duplicate: selector %d has it, this one gets %s", *s.LostTo, oneLine(s.Name))
		}
	}
	return b.String()
}
