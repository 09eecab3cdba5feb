package ipywidgets

import (
	"maps"
	"slices"
)

// MIMEView is the type by which a display shows a widget.
const MIMEView = "application/vnd.jupyter.widget-view+json"

// Bundle is a display in several forms, by MIME type, and its metadata.
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any
}

// View is a widget under a cell. The kernel publishes the bundle as display_data with the id.
type View struct {
	Bundle
	DisplayID string

	picture func() Bundle
}

// View makes a view of a widget. picture draws its present state for readers without widgets (image/png, text/plain); it is asked now
// and when the manager closes, and may be nil.
func (m *Manager) View(w Widget, picture func() Bundle) View {
	v := View{DisplayID: m.options.NewID(), picture: picture}
	if picture != nil {
		v.Bundle = picture()
	}
	v.Data, v.Metadata = maps.Clone(v.Data), maps.Clone(v.Metadata)
	if v.Data == nil {
		v.Data = map[string]any{}
	}
	if v.Metadata == nil {
		v.Metadata = map[string]any{}
	}
	v.Data[MIMEView] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": w.Root().id}
	if _, ok := v.Data["text/plain"]; !ok {
		v.Data["text/plain"] = "a view that needs a running kernel"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.views = append(m.views, v)
	}
	return v
}

// remove forgets a model.
func (m *Manager) remove(w *Model) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.models, w.id)
	m.order = slices.DeleteFunc(m.order, func(other *Model) bool { return other == w })
}

// Close ends all models, and gives the last picture of each view that has one, under the id of its display: what update_display_data puts
// in the place of the live view. Modules of one's own get the message {"ended": true}, for a page that did not run the cell and so does
// not know the display; nothing else is told to the front ends, where a closed model would leave an empty place. A view made or a value
// set later is shown nowhere.
func (m *Manager) Close() []View {
	m.mu.Lock()
	views, models := m.views, m.order
	m.views, m.order, m.closed = nil, nil, true
	clear(m.models)
	m.mu.Unlock()
	for _, w := range models {
		if _, module := w.keys["_esm"]; module {
			w.Send(map[string]any{"ended": true})
		}
		w.mu.Lock()
		w.end()
		w.mu.Unlock()
	}
	var last []View
	for _, v := range views {
		if v.picture != nil {
			last = append(last, View{Bundle: v.picture(), DisplayID: v.DisplayID})
		}
	}
	return last
}
