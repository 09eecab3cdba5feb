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

// Snapshotter is a widget as a picture, for readers without widgets: image/png, text/plain.
type Snapshotter interface {
	// Picture draws its present state.
	Picture() Bundle
	// Last is the newest picture there is. Where it changed since, and draw is true, it is drawn once more from what is known of it.
	Last(draw bool) Bundle
}

// View is a widget under a cell. The kernel publishes the bundle as display_data with the id.
type View struct {
	Bundle
	Widget    string // the id of its model
	DisplayID string
}

// Shown is a widget that was shown, with the ids of the displays that show it, the last one last.
type Shown struct {
	Snapshotter
	Widget   string
	Displays []string
}

// mostDisplays is how many displays of one widget are remembered.
const mostDisplays = 64

// View makes a view of a widget. pictured, which may be nil, is its picture, which is asked for now.
func (m *Manager) View(w *Model, pictured Snapshotter) View {
	v := View{DisplayID: m.options.NewID(), Widget: w.id}
	if pictured != nil {
		v.Bundle = pictured.Picture()
	}
	v.Data, v.Metadata = maps.Clone(v.Data), maps.Clone(v.Metadata)
	if v.Data == nil {
		v.Data = map[string]any{}
	}
	if v.Metadata == nil {
		v.Metadata = map[string]any{}
	}
	v.Data[MIMEView] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": w.id}
	if _, ok := v.Data["text/plain"]; !ok {
		v.Data["text/plain"] = "a view that needs a running kernel"
	}
	if pictured != nil {
		m.shown(v, pictured)
	}
	return v
}

// shown remembers a display; of one widget the last ones.
func (m *Manager) shown(v View, pictured Snapshotter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if m.views[v.Widget] == nil {
		m.views[v.Widget] = &Shown{Snapshotter: pictured, Widget: v.Widget}
	}
	last := m.views[v.Widget]
	if last.Displays = append(last.Displays, v.DisplayID); len(last.Displays) > mostDisplays {
		last.Displays = slices.Delete(last.Displays, 0, 1)
	}
}

// Close ends all models, and gives each widget that was shown and has a picture, which update_display_data puts in the place of the live
// views. Modules get the message {"ended": true}, for a page that did not run the cell and so does not know the display; nothing else is
// told to the front ends, where a closed model would leave an empty place. A view made or a value set later is shown nowhere.
func (m *Manager) Close() (last []Shown) {
	m.mu.Lock()
	models := m.order
	m.closed = true
	m.mu.Unlock()
	for _, w := range models {
		if shown, ok := m.End(w); ok {
			last = append(last, shown)
		}
	}
	return last
}

// End ends one model, as Close ends all. shown is false where it was shown nowhere.
func (m *Manager) End(w *Model) (last Shown, shown bool) {
	if v := m.remove(w); v != nil {
		last, shown = *v, true
	}
	w.Send(map[string]any{"ended": true})
	w.close()
	return last, shown
}

// Forget ends a model that the page has put away itself: nothing is told there.
func (m *Manager) Forget(w *Model) {
	m.remove(w)
	w.close()
}

func (m *Manager) remove(w *Model) *Shown {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.views[w.id]
	delete(m.views, w.id)
	delete(m.models, w.id)
	m.order = slices.DeleteFunc(slices.Clone(m.order), func(other *Model) bool { return other == w })
	return v
}
