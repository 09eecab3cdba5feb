package matrix

import (
	"context"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/live"
)

// draw is the matrix for readers without a kernel: what was shown last, as PNG and text.
func (v *View) draw() ipywidgets.Bundle {
	v.mu.Lock()
	m, w := v.last, v.wish
	v.mu.Unlock()
	if len(m.Values) == 0 {
		m, _ = live.Ask(v.Life, func(ctx context.Context) (session.Matrix, error) { // without one the picture is the status
			return v.Session.Matrix(ctx, session.MatrixRequest{Of: w.of, Top: w.top})
		})
	}
	p, err := chart.Matrix(holding(m, w.least))
	if err != nil {
		p = chart.Picture{Text: chart.Status(v.Status()).Text}
	}
	return live.Snapshot(p)
}
