package ipywidgets

import (
	"maps"
	"slices"
)

// MIMEView is the MIME type of a display that shows a widget.
const MIMEView = "application/vnd.jupyter.widget-view+json"

// Bundle is a display in several forms, by MIME type, with its metadata.
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any
}

// Snapshotter draws a widget for readers without widgets, as image/png and text/plain.
type Snapshotter interface {
	// Picture draws the present state.
	Picture() Bundle
	// Last returns the newest picture. If the widget has changed since and draw is true, Last draws
	// it again from what is known.
	Last(draw bool) Bundle
}

// View is a widget under a cell. The kernel publishes the bundle as display_data with the id.
type View struct {
	Bundle
	Widget    string // the id of its model
	DisplayID string
}

// Shown is a widget with the ids of the displays that show it, the newest last.
type Shown struct {
	Snapshotter
	Widget   string
	Displays []string
}

// mostDisplays limits the displays of one widget that are remembered.
const mostDisplays = 64

// View returns a view of a widget. If snapshotter is not nil, View draws its picture now, and Close
// and End return it with the display.
func (m *Manager) View(w *Model, snapshotter Snapshotter) View {
	v := View{DisplayID: m.options.NewID(), Widget: w.id}
	if snapshotter != nil {
		v.Bundle = snapshotter.Picture()
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
	if snapshotter != nil {
		m.remember(v, snapshotter)
	}
	return v
}

// remember records a display; of one widget it keeps the newest mostDisplays. It does nothing once
// the manager is closed.
func (m *Manager) remember(v View, snapshotter Snapshotter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if m.views[v.Widget] == nil {
		m.views[v.Widget] = &Shown{Snapshotter: snapshotter, Widget: v.Widget}
	}
	last := m.views[v.Widget]
	if last.Displays = append(last.Displays, v.DisplayID); len(last.Displays) > mostDisplays {
		last.Displays = slices.Delete(last.Displays, 0, 1)
	}
}

// Close ends all models, and returns each widget that was shown and has a picture, which
// update_display_data puts in place of the live views. Modules receive the message {"ended": true},
// for pages that did not run the cell and so do not know the display. Close sends front ends
// nothing else, because they would leave an empty place for a closed model. Views created and
// values set later are not shown.
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

// End ends one model, as Close ends all. shown is false if the model was not shown.
func (m *Manager) End(w *Model) (last Shown, shown bool) {
	if v := m.remove(w); v != nil {
		last, shown = *v, true
	}
	w.Send(map[string]any{"ended": true})
	w.close()
	return last, shown
}

// Forget ends a model that the page has already removed; it sends nothing, and no picture takes its
// place.
func (m *Manager) Forget(w *Model) {
	m.remove(w)
	w.close()
}

// remove forgets a model and returns where it is shown, or nil if it is not.
func (m *Manager) remove(w *Model) *Shown {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.views[w.id]
	delete(m.views, w.id)
	delete(m.models, w.id)
	m.order = slices.DeleteFunc(slices.Clone(m.order), func(other *Model) bool { return other == w })
	return v
}
