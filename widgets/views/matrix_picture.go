package views

import (
	"context"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// draw is the matrix for readers without a kernel: what was shown last, as PNG and text.
func (v *matrixView) draw() ipywidgets.Bundle {
	v.mu.Lock()
	m, w := v.last, v.wish
	v.mu.Unlock()
	if len(m.Values) == 0 {
		m, _ = Ask(v.Life, func(ctx context.Context) (session.Matrix, error) { // without one the picture is the status
			return v.Service.Matrix(ctx, v.Name, session.MatrixRequest{Of: w.of, Top: w.top})
		})
	}
	p, err := chart.Matrix(holding(m, w.least))
	if err != nil {
		p = chart.Picture{Text: chart.Status(v.Status()).Text}
	}
	return Snapshot(p)
}
