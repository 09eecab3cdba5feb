package kernel

import (
	"strings"
	"time"
	"unicode/utf8"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// updateInterval is the shortest time between two updates of a display.
const updateInterval = 100 * time.Millisecond

var _ magic.Output = (*execution)(nil)

// display is a display that is updated in place.
type display struct {
	last    time.Time
	pending *jupyter.DisplayData // an update that came too soon after the last one
	timer   *time.Timer
}

func (e *execution) Silent() bool { return e.cell.Request.Silent }

func (e *execution) publish(messageType string, content any) { e.cell.Publish(messageType, content) }

// print writes to a stream of the cell, "stdout" or "stderr".
func (e *execution) print(stream, text string) {
	e.publish("stream", jupyter.Stream{Name: stream, Text: text})
}

func displayData(p chart.Picture, id string) jupyter.DisplayData {
	return jupyter.DisplayData{Data: p.Bundle(), Metadata: p.Metadata(), Transient: jupyter.Transient{DisplayID: id}}
}

func (e *execution) Display(p chart.Picture) {
	e.flush()
	e.publish("display_data", displayData(p, ""))
}

// Update implements magic.Output. It delays updates that come too soon. The
// last one is always shown.
func (e *execution) Update(id string, p chart.Picture) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.console != nil {
		e.rewrite(p)
		return
	}
	e.update(id, displayData(p, id))
}

// update shows data in the display with that id, or delays them if the last
// update is too recent. The caller must hold the lock.
func (e *execution) update(id string, data jupyter.DisplayData) {
	d, ok := e.displays[id]
	if !ok {
		if e.displays == nil {
			e.displays = map[string]*display{}
		}
		e.displays[id] = &display{last: time.Now()}
		e.publish("display_data", data)
		return
	}

	if wait := updateInterval - time.Since(d.last); wait > 0 {
		if d.pending == nil {
			d.timer = time.AfterFunc(wait, e.flush)
		}
		d.pending = &data
		return
	}

	e.show(d, data)
}

// show publishes an update. The caller must hold the lock.
func (e *execution) show(d *display, data jupyter.DisplayData) {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.last, d.pending, d.timer = time.Now(), nil, nil
	e.publish("update_display_data", data)
}

// flush publishes delayed updates, and turns the console's line into a display.
func (e *execution) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settle()
	for _, d := range e.displays {
		if d.pending != nil {
			e.show(d, *d.pending)
		}
	}
}

func (e *execution) Result(p chart.Picture) {
	e.flush()
	e.cell.Result(displayData(p, ""))
}

func (e *execution) Page(p chart.Picture) {
	e.cell.AddPayload(map[string]any{"source": "page", "data": p.Bundle(), "start": 0})
}

func (e *execution) Clear(wait bool) {
	e.flush()
	e.publish("clear_output", jupyter.ClearOutput{Wait: wait})
}

// consoleLine is a line of a console that is rewritten in place. It becomes a
// display in the end.
type consoleLine struct {
	width int // characters on the line
	last  *chart.Picture
}

// consoleColumns is a width that every terminal has.
const consoleColumns = 79

// rewrite shows a display in the console's line. The caller must hold the lock.
func (e *execution) rewrite(p chart.Picture) {
	text := words.Shorten(strings.TrimSpace(strings.ReplaceAll(p.Text, "\n", " ")), consoleColumns)
	width := utf8.RuneCountInString(text)
	e.print("stdout", "\r"+text+strings.Repeat(" ", max(0, e.console.width-width)))
	e.console.width, e.console.last = width, &p
}

// wipe clears the console's line before other output. The caller must hold the
// lock.
func (e *execution) wipe() {
	if e.console != nil && e.console.width > 0 {
		e.print("stdout", "\r"+strings.Repeat(" ", e.console.width)+"\r")
		e.console.width = 0
	}
}

// settle turns the console's line into a display. The caller must hold the
// lock.
func (e *execution) settle() {
	e.wipe()
	if e.console != nil && e.console.last != nil {
		e.publish("display_data", displayData(*e.console.last, ""))
		e.console.last = nil
	}
}

// makeRoom clears the console's line before output of a Go cell.
func (e *execution) makeRoom() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wipe()
}
