package table

import (
	"context"
	"slices"
	"strconv"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// draw is the table for readers without a kernel: PNG, HTML without scripts, and text.
func (v *View) draw() ipywidgets.Bundle {
	v.mu.Lock()
	selected := slices.Clone(v.selected)
	v.mu.Unlock()
	status := v.Status()
	if len(selected) == 0 {
		// without one the picture says so
		selected, _ = live.Ask(v.Life, func(ctx context.Context) ([]session.Selected, error) { return v.Session.Selection(ctx) })
	}
	p, err := chart.Features(status, selected, v.learned(status.Classes, selected)...)
	if err != nil {
		p = chart.Selection(selected)
	}
	return live.Snapshot(p)
}

// learned are the columns that the training rows give, where something is known of them.
func (v *View) learned(classes []string, selected []session.Selected) []chart.Column {
	v.mu.Lock()
	defer v.mu.Unlock()
	titles := []string{"information"}
	for _, class := range classes {
		titles = append(titles, "mean "+class)
	}
	var columns []chart.Column
	for i, title := range titles {
		c, known := chart.Column{Title: title, Cells: make([]string, len(selected))}, false
		for j, s := range selected {
			if facts := v.known[s.Index]; i < len(facts) {
				if x, ok := facts[i].(float64); ok {
					c.Cells[j], known = strconv.FormatFloat(x, 'g', 3, 64), true
				}
			}
		}
		if known {
			columns = append(columns, c)
		}
	}
	return columns
}
