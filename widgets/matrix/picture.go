package matrix

import (
	"context"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// pictureLimit is how long a picture may wait for the session: it is also drawn while the kernel ends.
const pictureLimit = time.Second

// Picture is the matrix for readers without a kernel: what was shown last, as PNG and text.
func (v *View) Picture() ipywidgets.Bundle {
	v.mu.Lock()
	m, w, status := v.last, v.wish, v.status
	v.mu.Unlock()
	if len(m.Values) == 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(v.life), pictureLimit)
		defer cancel()
		if got, err := v.service.Matrix(ctx, v.name, session.MatrixRequest{Of: w.of, Top: w.top}); err == nil {
			m = got
		}
	}
	p, err := chart.Matrix(holding(m, w.least))
	if err != nil {
		return ipywidgets.Bundle{Data: map[string]any{chart.MIMEText: chart.Status(status).Text}, Metadata: map[string]any{}}
	}
	p.VegaLite = nil // a front end might show it in place of the live view
	return ipywidgets.Bundle{Data: p.Bundle(), Metadata: p.Metadata()}
}
