package panel

import (
	"context"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/curves"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// Picture is the panel for readers without a kernel: the curves and the status line.
func (p *Panel) Picture() ipywidgets.Bundle { return p.still.Picture() }

// Last implements ipywidgets.Still.
func (p *Panel) Last(draw bool) ipywidgets.Bundle { return p.still.Last(draw) }

func (p *Panel) draw() ipywidgets.Bundle {
	p.mu.Lock()
	status := p.status
	p.mu.Unlock()
	picture := chart.Status(status)
	picture.HTML = "" // a front end would show it in place of the curves
	history, err := still.Ask(p.life, func(ctx context.Context) (session.History, error) {
		return p.service.History(ctx, p.name, *curves.Request())
	})
	if known := p.curves.Tracks()[0].History(); err != nil && len(known.Curves) > 0 && status.State != session.Closed {
		history, err = known, nil
	}
	if err == nil {
		if drawn, err := chart.Curves(history); err == nil {
			picture.PNG, picture.Alt = drawn.PNG, drawn.Alt
		}
	}
	return still.Bundle(picture)
}
