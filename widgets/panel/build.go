package panel

import (
	"math"
	"strconv"

	"fsnetlab/widgets/ipywidgets"
)

// The slider's range, as exponents of ten. The field beside it takes any λ.
const (
	leastLambda, mostLambda = -3, 3
	lambdaStep              = 0.05
	mostField               = 1e9
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
	p.root = ipywidgets.NewVBox(m, p.headline, p.bar, p.facts, p.buttons(m), p.hyperparameters(m), p.message)
	p.root.Layout.Set(css{"max_width": "960px", "padding": "4px 2px"})
	p.root.AddClass("fsnet-panel")
}

// line is a place for HTML over the whole width.
func line(m *ipywidgets.Manager) *ipywidgets.Text {
	t := ipywidgets.NewHTML(m, "")
	t.Layout.Set(css{"margin": "0", "width": "auto"})
	return t
}

func (p *Panel) buttons(m *ipywidgets.Manager) ipywidgets.Widget {
	var row []ipywidgets.Widget
	for _, n := range []int{1, 10, 100, 1000} {
		step := button(m, "Step "+strconv.Itoa(n), "Make "+counted(n, "step"), func() { p.step(n) })
		row = append(row, step)
	}
	run := button(m, "Run", "Run to the end of the annealing, or until it is settled", p.run)
	run.Icon().Set("play")
	pause := button(m, "Pause", "Pause what runs; nothing is lost", p.pause)
	pause.Icon().Set("pause")
	box := ipywidgets.NewHBox(m, append(row, run, pause)...)
	box.Layout.Set(css{"flex_flow": "row wrap", "margin": "8px 0 0 -2px"})
	return box
}

func button(m *ipywidgets.Manager, text, tooltip string, press func()) *ipywidgets.Button {
	b := ipywidgets.NewButton(m, text)
	b.SetTooltip(tooltip)
	b.Layout.Set(css{"width": "auto", "min_width": "84px"})
	b.OnClick(press)
	return b
}

func (p *Panel) hyperparameters(m *ipywidgets.Manager) ipywidgets.Widget {
	p.lambda = ipywidgets.NewFloatLogSlider(m, ipywidgets.Range[float64]{Value: 1, Min: leastLambda, Max: mostLambda, Step: lambdaStep, Description: "lambda λ"})
	p.lambda.SetTooltip("The weight of the reconstruction term, from the next step on")
	p.lambda.Continuous().Set(false) // each change is an event of the training: one for a drag, not fifty
	p.lambda.Readout().Set(false)
	p.lambda.Style.Set(css{"description_width": "64px"})
	p.lambda.Layout.Set(css{"flex": "1 1 240px", "max_width": "420px"})
	p.exact = ipywidgets.NewBoundedFloatText(m, ipywidgets.Range[float64]{Value: 1, Min: 0, Max: mostField, Step: 0.1})
	p.exact.SetTooltip("lambda exactly; 0 leaves the reconstruction term out")
	p.exact.Layout.Set(css{"width": "96px"})
	p.lambda.Value.OnChange(func(v float64) { p.setLambda(rounded(v)) })
	p.exact.Value.OnChange(p.setLambda)
	box := ipywidgets.NewHBox(m, p.lambda, p.exact)
	box.Layout.Set(css{"flex_flow": "row wrap", "align_items": "center", "margin": "6px 0 0 0"})
	return box
}

// rounded is a number of the slider as a person would write it: three digits.
func rounded(v float64) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return n
}

// onSlider is the nearest number that the slider can show.
func onSlider(lambda float64) float64 {
	if !(lambda > 0) {
		return math.Pow(10, leastLambda)
	}
	return min(max(lambda, math.Pow(10, leastLambda)), math.Pow(10, mostLambda))
}

func within(n *ipywidgets.Number[float64], v float64) float64 {
	return min(max(v, n.Min.Get()), n.Max.Get())
}
