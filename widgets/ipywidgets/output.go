package ipywidgets

import "fmt"

// Output shows displays as a cell's output does.
type Output struct {
	Control
}

// NewOutput makes an empty output.
func NewOutput(m *Manager) *Output {
	layout := newLayout(m)
	return &Output{Control{Layout: layout, Model: newModel(m,
		identity(outputModule, outputVersion, "OutputModel", outputModule, "OutputView"), shown(layout),
		[]key{{name: "msg_id", value: ""}, {name: "outputs", value: []any{}, check: isOutputs, person: true}})}}
}

// isOutputs is a list of outputs as in a notebook file. The browser changes it where it takes part in collecting them.
func isOutputs(_ func(string) any, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("is %s, which is no list", quoted(v))
	}
	for i, each := range list {
		output, _ := each.(map[string]any)
		if kind, ok := output["output_type"].(string); !ok || kind == "" {
			return nil, fmt.Errorf("has at %d %s, which is no output", i, quoted(each))
		}
	}
	return list, nil
}

// Show replaces what the output shows by these displays.
func (o *Output) Show(displays ...Bundle) {
	list := make([]any, len(displays))
	for i, d := range displays {
		metadata := d.Metadata
		if metadata == nil {
			metadata = map[string]any{}
		}
		list[i] = map[string]any{"output_type": "display_data", "data": d.Data, "metadata": metadata}
	}
	o.set(map[string]any{"outputs": list})
}
