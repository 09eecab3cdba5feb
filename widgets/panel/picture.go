package panel

import (
	"context"
	"time"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/curves"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/still"
)

// pictureLimit is how long a picture may wait for the session: it is also drawn while the kernel ends.
const pictureLimit = time.Second

// Picture is the panel for readers without a kernel: the curves and the status line.
func (p *Panel) Picture() ipywidgets.Bundle { return p.still.Picture() }

func (p *Panel) draw() ipywidgets.Bundle {
	p.mu.Lock()
	status := p.status
	p.mu.Unlock()
	picture := chart.Status(status)
	picture.HTML = "" // a front end would show it in place of the curves
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.life), pictureLimit)
	defer cancel()
	if history, err := p.service.History(ctx, p.name, *curves.Request()); err == nil {
		if drawn, err := chart.Curves(history); err == nil {
			picture.PNG, picture.Alt = drawn.PNG, drawn.Alt
		}
	}
	return still.Bundle(picture)
}
