package ipywidgets

import "encoding/json"

// Button is to be pressed.
type Button struct {
	Control
}

// NewButton makes a button with this text on it.
func NewButton(m *Manager, text string) *Button {
	b := &Button{Control{Layout: newLayout(m), Style: newStyle(m, "ButtonStyle")}}
	b.Model = newModel(m, control("Button", "ButtonView"), shown(b.Layout), []key{
		{name: "description", value: text, check: isText}, {name: "disabled", value: false, check: isBool}, {name: "icon", value: "", check: isText},
		{name: "button_style", value: "", check: buttonStyle()}, {name: "style", value: b.Style.model},
	})
	return b
}

func buttonStyle() check { return word("primary", "success", "info", "warning", "danger", "") }

// Icon is the name of a Font Awesome icon before the text; "" is none.
func (b *Button) Icon() Value[string] { return valueOf[string](b.Model, "icon") }

// Look is "primary", "success", "info", "warning", "danger", or "" for a plain one.
func (b *Button) Look() Value[string] { return valueOf[string](b.Model, "button_style") }

// OnClick is called for each press, one after another.
func (b *Button) OnClick(handler func()) {
	b.OnMessage(func(content json.RawMessage, _ [][]byte) {
		var message struct {
			Event string `json:"event"`
		}
		if json.Unmarshal(content, &message) == nil && message.Event == "click" {
			handler()
		}
	})
}
