package matrix

import (
	"context"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// pictureLimit is how long a picture may wait for the session: it is also drawn while the kernel ends.
const pictureLimit = time.Second

// draw is the matrix for readers without a kernel: what was shown last, as PNG and text.
func (v *View) draw() ipywidgets.Bundle {
	v.mu.Lock()
	m, w, status := v.last, v.wish, v.status
	v.mu.Unlock()
	if len(m.Values) == 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Life), pictureLimit)
		defer cancel()
		if got, err := v.Service.Matrix(ctx, v.Name, session.MatrixRequest{Of: w.of, Top: w.top}); err == nil {
			m = got
		}
	}
	p, err := chart.Matrix(holding(m, w.least))
	if err != nil {
		p = chart.Picture{Text: chart.Status(status).Text}
	}
	return still.Bundle(p)
}
