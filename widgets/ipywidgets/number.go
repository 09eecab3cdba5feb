package ipywidgets

import (
	"math"
	"slices"
)

// Range is a number and where it may lie. Of a log slider Min, Max and Step are exponents of ten and Value is the number itself.
type Range[T int | float64] struct {
	Value       T
	Min, Max    T // both 0: from 0 to 100, of a log slider from 0 to 4
	Step        T // 0: 1 of whole numbers, 0.1 of others
	Description string
}

// Number is a control that shows one number: a slider, a number field, a progress bar.
type Number[T int | float64] struct {
	Control
	Value    Value[T]
	Min, Max Value[T]
}

// NewIntSlider makes a slider over whole numbers.
func NewIntSlider(m *Manager, r Range[int]) *Number[int] {
	return newNumber(m, "IntSlider", "IntSliderView", "SliderStyle", r.or(100, 1), isWhole, nil, slider("d")...)
}

// NewFloatSlider makes a slider over numbers.
func NewFloatSlider(m *Manager, r Range[float64]) *Number[float64] {
	return newNumber(m, "FloatSlider", "FloatSliderView", "SliderStyle", r.or(100, 0.1), isNumber, nil, slider(".2f")...)
}

// NewFloatLogSlider makes a slider over powers of ten.
func NewFloatLogSlider(m *Manager, r Range[float64]) *Number[float64] {
	power := func(now func(string) any, exponent float64) float64 { return math.Pow(asFloat(now("base")), exponent) }
	return newNumber(m, "FloatLogSlider", "FloatLogSliderView", "SliderStyle", r.or(4, 0.1), isNumber, power,
		append(slider(".3g"), key{name: "base", value: 10.0, check: isNumber})...)
}

// NewBoundedIntText makes a field for a whole number.
func NewBoundedIntText(m *Manager, r Range[int]) *Number[int] {
	return newNumber(m, "BoundedIntText", "IntTextView", "DescriptionStyle", r.or(100, 1), isWhole, nil, field()...)
}

// NewBoundedFloatText makes a field for a number.
func NewBoundedFloatText(m *Manager, r Range[float64]) *Number[float64] {
	return newNumber(m, "BoundedFloatText", "FloatTextView", "DescriptionStyle", r.or(100, 0.1), isNumber, nil, field()...)
}

// NewIntProgress makes a bar.
func NewIntProgress(m *Manager, r Range[int]) *Number[int] {
	return newNumber(m, "IntProgress", "ProgressView", "ProgressStyle", r.or(100, 1), isWhole, nil, bar()...)
}

// NewFloatProgress makes a bar.
func NewFloatProgress(m *Manager, r Range[float64]) *Number[float64] {
	return newNumber(m, "FloatProgress", "ProgressView", "ProgressStyle", r.or(100, 1), isNumber, nil, bar()...)
}

func (r Range[T]) or(most, step T) Range[T] {
	if r.Min == 0 && r.Max == 0 {
		r.Max = most
	}
	if r.Step == 0 {
		r.Step = step
	}
	return r
}

func newNumber[T int | float64](m *Manager, name, view, style string, r Range[T], number check, scale func(func(string) any, float64) float64, more ...key) *Number[T] {
	keys := append([]key{
		{name: "min", value: r.Min, check: number}, {name: "max", value: r.Max, check: number}, {name: "value", value: r.Value, check: between(number, scale)},
	}, more...)
	// Sliders and fields are a person's to change; bars only show.
	if slices.ContainsFunc(more, func(k key) bool { return k.name == "continuous_update" }) {
		keys[2].person = true
		keys = append(keys, key{name: "step", value: r.Step, check: number})
	}
	c := newControl(m, name, view, style, r.Description, keys...)
	return &Number[T]{Control: c, Value: valueOf[T](c.Model, "value"), Min: valueOf[T](c.Model, "min"), Max: valueOf[T](c.Model, "max")}
}

func slider(format string) []key {
	return append([]key{{name: "continuous_update", value: true, check: isBool}, {name: "readout_format", value: format, check: isText}}, sliding()...)
}

// sliding are the entries of all sliders, those over a list included.
func sliding() []key {
	return []key{
		{name: "behavior", value: "drag-tap", check: word("drag-tap", "drag-snap", "tap", "drag", "snap")},
		{name: "disabled", value: false, check: isBool}, {name: "orientation", value: "horizontal", check: orientation()},
		{name: "readout", value: true, check: isBool},
	}
}

func orientation() check { return word("horizontal", "vertical") }

func field() []key {
	return []key{{name: "continuous_update", value: false, check: isBool}, {name: "disabled", value: false, check: isBool}}
}

func bar() []key {
	return []key{
		{name: "bar_style", value: "", check: word("success", "info", "warning", "danger", "")},
		{name: "orientation", value: "horizontal", check: orientation()},
	}
}

// Continuous says whether a slider or field reports while it moves, or only where it ends.
func (n *Number[T]) Continuous() Value[bool] { return valueOf[bool](n.Model, "continuous_update") }

// Readout says whether a slider writes its number beside it.
func (n *Number[T]) Readout() Value[bool] { return valueOf[bool](n.Model, "readout") }

// Format is how a slider writes its number, in the notation of d3: "d", ".2f", ".3g".
func (n *Number[T]) Format() Value[string] { return valueOf[string](n.Model, "readout_format") }

// Bar is "success", "info", "warning", "danger" or "": the colour of a bar.
func (n *Number[T]) Bar() Value[string] { return valueOf[string](n.Model, "bar_style") }
