package panel

import (
	"context"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// pictureLimit is how long a picture may wait for the session: it is also drawn while the kernel ends.
const pictureLimit = time.Second

// Picture is the panel for readers without a kernel: the curves and the status line.
func (p *Panel) Picture() ipywidgets.Bundle {
	p.mu.Lock()
	status := p.status
	p.mu.Unlock()
	bundle := ipywidgets.Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.life), pictureLimit)
	defer cancel()
	if history, err := p.service.History(ctx, p.name, session.HistoryRequest{}); err == nil {
		if curves, err := chart.Curves(history); err == nil {
			curves.VegaLite = nil // a front end would show it in place of the live view
			bundle = ipywidgets.Bundle{Data: curves.Bundle(), Metadata: curves.Metadata()}
		}
	}
	bundle.Data[chart.MIMEText] = chart.Status(status).Text
	return bundle
}
