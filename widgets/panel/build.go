package panel

import (
	"strconv"

	"fsnetlab/widgets/curves"
	"fsnetlab/widgets/ipywidgets"
)

// css is a layout.
type css = map[string]string

// build makes the controls and what they do.
func (p *Panel) build(m *ipywidgets.Manager) {
	p.headline = line(m)
	p.facts = line(m)
	p.message = line(m)
	p.bar = ipywidgets.NewFloatProgress(m, ipywidgets.Range[float64]{Max: 1})
	p.bar.Layout.Set(css{"width": "auto", "height": "14px", "margin": "0 0 4px 0"})
	p.curves = curves.New(m)
	p.curves.Layout.Set(css{"width": "auto", "margin": "0"})
	lambda, others := p.hyperparameters(m)
	p.root = ipywidgets.NewVBox(m, p.headline, p.bar, p.facts, p.buttons(m), lambda, p.message, p.curves, p.past(m), others)
	p.root.Layout.Set(css{"max_width": "960px", "padding": "4px 2px"})
	p.root.AddClass("fsnet-panel")
}

// line is a place for HTML over the whole width.
func line(m *ipywidgets.Manager) *ipywidgets.Text {
	t := ipywidgets.NewHTML(m, "")
	t.Layout.Set(css{"margin": "0", "width": "auto"})
	return t
}

// row is controls beside each other, and below each other where there is no room.
func row(m *ipywidgets.Manager, controls ...ipywidgets.Widget) *ipywidgets.Box {
	box := ipywidgets.NewHBox(m, controls...)
	box.Layout.Set(css{"flex_flow": "row wrap", "align_items": "center", "margin": "6px 0 0 -2px"})
	return box
}

func (p *Panel) buttons(m *ipywidgets.Manager) ipywidgets.Widget {
	var controls []ipywidgets.Widget
	for _, n := range []int{1, 10, 100, 1000} {
		controls = append(controls, button(m, "Step "+strconv.Itoa(n), "Make "+counted(n, "step"), func() { p.step(n) }))
	}
	run := button(m, "Run", "Run to the end of the annealing, or until it is settled", p.run)
	run.Icon().Set("play")
	pause := button(m, "Pause", "Pause what runs; nothing is lost", p.pause)
	pause.Icon().Set("pause")
	return row(m, append(controls, run, pause)...)
}

func button(m *ipywidgets.Manager, text, tooltip string, press func()) *ipywidgets.Button {
	b := ipywidgets.NewButton(m, text)
	b.SetTooltip(tooltip)
	b.Layout.Set(css{"width": "auto", "min_width": "84px"})
	b.OnClick(press)
	return b
}
