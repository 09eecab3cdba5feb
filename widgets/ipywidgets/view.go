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

// Snapshotter draws a widget for readers without widgets, as image/png and
// text/plain.
type Snapshotter interface {
	// Picture draws the current state.
	Picture() Bundle
	// Last returns the newest picture. If the widget has changed since and draw
	// is true, Last redraws it from what is known.
	Last(draw bool) Bundle
}

// View is a widget below a cell. The kernel publishes the bundle as
// display_data with the id.
type View struct {
	Bundle
	Widget    string // the id of its model
	DisplayID string
}

// Shown is a widget with the ids of the displays that show it, newest last.
type Shown struct {
	Snapshotter
	Widget   string
	Displays []string
}

// mostDisplays limits how many displays of one widget are remembered.
const mostDisplays = 64

// View returns a view of a widget. If snapshotter isn't nil, the view contains
// its current picture, and the manager remembers the snapshotter and the
// display: Close and End return them, so that the caller can leave a picture in
// place of the live view.
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

// remember records a display. It keeps the newest mostDisplays of a widget. It
// does nothing once the manager is closed.
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

// Close ends all models. It returns each widget that was shown and has a
// picture, so that the caller can put the picture in place of the live views
// with update_display_data. Modules receive the message {"ended": true}, for
// pages that didn't run the cell and so don't know the display. Close sends
// front ends nothing else, because they would leave an empty place for a closed
// model. Views created and values set later aren't shown.
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

// End ends one model, as Close ends all. shown is false if the model wasn't
// shown.
func (m *Manager) End(w *Model) (last Shown, shown bool) {
	if v := m.remove(w); v != nil {
		last, shown = *v, true
	}
	w.Send(map[string]any{"ended": true})
	w.close()
	return last, shown
}

// Forget ends a model that the page has already removed. It sends nothing, and
// no picture takes the model's place.
func (m *Manager) Forget(w *Model) {
	m.remove(w)
	w.close()
}

// remove forgets a model and returns where it is shown. It returns nil if the
// model isn't shown.
func (m *Manager) remove(w *Model) *Shown {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.views[w.id]
	delete(m.views, w.id)
	delete(m.models, w.id)
	m.order = slices.DeleteFunc(slices.Clone(m.order), func(other *Model) bool { return other == w })
	return v
}
