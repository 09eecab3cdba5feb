package views

import (
	"math"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
)

// knob is the control of one live key.
type knob struct {
	key       string
	kind      string   // one of the kinds below
	low, high float64  // of a slider; for power, the smallest and the largest exponent
	step      float64  // of the slider, and of the field's arrows
	offered   []string // words that a field suggests; it accepts every value of the key
}

// Kinds of knobs.
const (
	power  = "power"  // a slider over powers of ten, and a field
	share  = "share"  // a slider and a field
	whole  = "count"  // a field for a whole number
	word   = "word"   // a field for a word
	choice = "choice" // a list of all words that the key accepts
)

// mostWord bounds the characters of a word. It is large because a schedule may
// have many points.
const mostWord = 10_000

// knobs returns the controls of all live keys. The first one with an effect is
// visible, and the others are folded.
func knobs() []knob {
	return []knob{
		{key: "lambda", kind: power, low: -3, high: 3, step: 0.1},
		{key: "learning_rate", kind: power, low: -6, high: 0, step: 0.0001},
		{key: "selector_learning_rate", kind: power, low: -6, high: 0, step: 0.001},
		{key: "tau0", kind: power, low: -3, high: 3, step: 0.1},
		{key: "tau_end", kind: power, low: -4, high: 2, step: 0.001},
		{key: "sharpness", kind: power, low: 0, high: 3, step: 1},
		{key: "repulsion", kind: power, low: -2, high: 2, step: 0.1},
		{key: "dropout", kind: share, low: 0, high: 0.95, step: 0.05},
		{key: "epochs", kind: whole, step: 1},
		{key: "schedule", kind: word, offered: []string{"exponential", "linear", "cosine", "hold:1", "points:0=10,100=0.1"}},
		{key: "sharpness_schedule", kind: word, offered: []string{"late", "exponential", "linear", "cosine", "hold:20", "points:150=1,300=20"}},
		{key: "stop", kind: word, offered: []string{"settled", "never", "patience:50"}},
		{key: "class_weight", kind: choice},
	}
}

// knobsState returns the controls as the page makes them.
func knobsState() []any {
	var list []any
	for _, k := range knobs() {
		known, _ := config.Lookup(k.key) // a test compares knobs with the live keys
		label, hint := k.key, known.Meaning
		if k.kind == power {
			label = strings.TrimSpace(label + " " + known.Symbol)
		}
		if known.Range != "" {
			hint += " (" + known.Range + ")"
		}
		hint += ", from the next step on"
		if known.TakesAuto() {
			hint += "; an empty field means auto"
		}
		list = append(list, map[string]any{
			"key": k.key, "kind": k.kind, "label": label, "hint": hint, "low": k.low, "high": k.high, "step": k.step,
			"auto": known.TakesAuto(), "words": append(known.Choices, k.offered...),
		})
	}
	return list
}

// auto leaves a key's value to the training. An emptied field means auto.
const auto = "auto"

// check returns the check of what the user may enter: any number, auto or word.
// The verb set explains values that the key doesn't accept.
func (k knob) check() func(any) error {
	known, _ := config.Lookup(k.key)
	switch k.kind {
	case word:
		return isText(mostWord)
	case choice:
		return isOneOf(known.Choices...)
	}
	return func(value any) error {
		if value == auto && known.TakesAuto() {
			return nil
		}
		return isNumber(value)
	}
}

// value converts a key's text to the page's value, a number or a word. It
// returns an error for auto if the page has a number.
func (k knob) value(text string) (any, error) {
	if k.kind == word || k.kind == choice {
		return text, nil
	}
	return strconv.ParseFloat(text, 64)
}

// inForce returns the current live keys of a training as the page shows them.
// Under "idle" it returns, by key, why a key has no effect and therefore no
// control. It omits keys whose value is auto.
func inForce(c config.Settings) map[string]any {
	idle := map[string]any{}
	state := map[string]any{"idle": idle}
	for _, k := range knobs() {
		if value, err := k.value(c.Text(k.key)); err == nil {
			state[k.key] = value
		}
		if why, _ := c.Idle(k.key); why != "" {
			idle[k.key] = why
		}
	}
	return state
}

// setText returns a value from the page, a number or a word, as the verb set
// reads it. It returns "" for any other value.
func setText(value any) string {
	x, ok := value.(float64)
	if !ok {
		word, _ := value.(string)
		return word
	}
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
