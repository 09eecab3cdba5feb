package panel

import (
	"math"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/widgets/ipywidgets"
)

// knob shows one live key as it is in force. What a person does to it is Panel.set.
type knob struct {
	key  string
	show func(text string)
}

// mostField is the largest number of a field.
const mostField = 1e9

// hyperparameters makes a control, or two, for each live key: those of λ, which are always there, and the others, which are folded up.
func (p *Panel) hyperparameters(m *ipywidgets.Manager) (lambda, others ipywidgets.Widget) {
	lambda = p.logKnob(m, "lambda", "lambda λ", -3, 3, 0.1)
	grid := ipywidgets.NewGridBox(m,
		p.logKnob(m, "learning_rate", "learning_rate η", -6, 0, 0.0001), p.logKnob(m, "selector_learning_rate", "selector_learning_rate", -6, 0, 0.001),
		p.logKnob(m, "tau0", "tau0 τ0", -3, 3, 0.1), p.logKnob(m, "tau_end", "tau_end τE", -4, 2, 0.001),
		p.shareKnob(m, "dropout"), p.countKnob(m, "epochs"),
		p.wordKnob(m, "schedule", "exponential", "linear", "cosine", "hold:1", "points:0=10,100=0.1"), p.choiceKnob(m, "tau_every"),
		p.wordKnob(m, "stop", "settled", "never", "patience:50"), p.choiceKnob(m, "class_weight"))
	grid.Layout.Set(css{"grid_template_columns": "repeat(auto-fit, minmax(min(380px, 100%), 1fr))", "grid_gap": "2px 16px", "width": "auto"})
	folded := ipywidgets.NewAccordion(m, []string{"Hyperparameters"}, grid)
	folded.Layout.Set(css{"margin": "8px 0 0 0", "width": "auto"})
	return lambda, folded
}

// logKnob is a slider over powers of ten, from 10^low to 10^high, and a field that takes any number.
func (p *Panel) logKnob(m *ipywidgets.Manager, key, text string, low, high, step float64) ipywidgets.Widget {
	const exponents = 0.05
	slider := ipywidgets.NewFloatLogSlider(m, ipywidgets.Range[float64]{Value: math.Pow(10, high), Min: low, Max: high, Step: exponents, Description: text})
	field := ipywidgets.NewBoundedFloatText(m, ipywidgets.Range[float64]{Max: mostField, Step: step})
	tooltip := meaning(key)
	slider.SetTooltip(tooltip)
	field.SetTooltip(tooltip + ", exactly")
	slider.Continuous().Set(false) // each change is an event of the training: one for a drag, not fifty
	slider.Readout().Set(false)
	slider.Layout.Set(css{"flex": "1 1 220px", "width": "auto", "max_width": "420px"})
	field.Layout.Set(css{"width": "96px"})
	slider.Style.Set(css{"description_width": width(key)})
	slider.Value.OnChange(func(v float64) { p.set(key, number(rounded(v))) })
	field.Value.OnChange(func(v float64) { p.set(key, number(v)) })
	p.knobs = append(p.knobs, knob{key, func(text string) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return
		}
		field.Value.Set(within(field, v))
		slider.Value.Set(min(max(v, math.Pow(10, low)), math.Pow(10, high))) // 0 is its left end
	}})
	box := row(m, slider, field)
	box.Layout.Set(css{"flex_flow": "row", "margin": "0"})
	box.AddClass("fsnet-" + key)
	return box
}

func (p *Panel) shareKnob(m *ipywidgets.Manager, key string) ipywidgets.Widget {
	slider := ipywidgets.NewFloatSlider(m, ipywidgets.Range[float64]{Max: 0.95, Step: 0.05, Description: key})
	slider.Continuous().Set(false)
	slider.Value.OnChange(func(v float64) { p.set(key, number(rounded(v))) })
	p.knobs = append(p.knobs, knob{key, func(text string) {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			slider.Value.Set(within(slider, v))
		}
	}})
	return fitted(slider.Control, key, slider)
}

func (p *Panel) countKnob(m *ipywidgets.Manager, key string) ipywidgets.Widget {
	field := ipywidgets.NewBoundedIntText(m, ipywidgets.Range[int]{Value: 1, Min: 1, Max: mostField, Description: key})
	field.Value.OnChange(func(v int) { p.set(key, strconv.Itoa(v)) })
	p.knobs = append(p.knobs, knob{key, func(text string) {
		if v, err := strconv.Atoi(text); err == nil {
			field.Value.Set(within(field, v))
		}
	}})
	return fitted(field.Control, key, field)
}

// wordKnob is a field that offers some words and takes any that the key does.
func (p *Panel) wordKnob(m *ipywidgets.Manager, key string, offered ...string) ipywidgets.Widget {
	field := ipywidgets.NewCombobox(m, key, "", offered)
	field.Continuous().Set(false)
	field.Value.OnChange(func(text string) { p.set(key, text) })
	p.knobs = append(p.knobs, knob{key, field.Value.Set})
	return fitted(field.Control, key, field)
}

// choiceKnob is a list of all the words that a key takes.
func (p *Panel) choiceKnob(m *ipywidgets.Manager, key string) ipywidgets.Widget {
	known, _ := config.Lookup(key)
	list := ipywidgets.NewDropdown(m, key, known.Choices, -1)
	list.Index.OnChange(func(i int) {
		if i >= 0 && i < len(known.Choices) {
			p.set(key, known.Choices[i])
		}
	})
	p.knobs = append(p.knobs, knob{key, func(text string) {
		for i, word := range known.Choices {
			if word == text {
				list.Index.Set(i)
			}
		}
	}})
	return fitted(list.Control, key, list)
}

// fitted gives a control that stands alone its look.
func fitted(c ipywidgets.Control, key string, w ipywidgets.Widget) ipywidgets.Widget {
	c.SetTooltip(meaning(key))
	c.Style.Set(css{"description_width": width(key)})
	c.Layout.Set(css{"width": "auto"})
	c.AddClass("fsnet-" + key)
	return w
}

func width(key string) string {
	if key == "lambda" {
		return "64px"
	}
	return "150px"
}

// meaning is the key's line in the documentation.
func meaning(key string) string {
	known, err := config.Lookup(key)
	if err != nil {
		return ""
	}
	if known.Range != "" {
		return known.Meaning + " (" + known.Range + "), from the next step on"
	}
	return known.Meaning + ", from the next step on"
}

// rounded is a number of a slider as a person would write it: three digits.
func rounded(v float64) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return n
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func within[T int | float64](n *ipywidgets.Number[T], v T) T {
	return min(max(v, n.Min.Get()), n.Max.Get())
}
