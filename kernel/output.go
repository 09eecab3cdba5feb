package kernel

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/kernel/magic"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// updateInterval is the shortest time between two updates of a display.
const updateInterval = 100 * time.Millisecond

// output publishes the output of one cell.
type output struct {
	kernel *Kernel
	cell   *jupyter.Cell

	mu       sync.Mutex
	displays map[string]*display // by id
	console  *consoleLine        // shows displays in a console, which ignores updates; nil in other front ends
}

var _ magic.Output = (*output)(nil)

// display is a display that is updated in place.
type display struct {
	last    time.Time
	pending *jupyter.DisplayData // an update that came too soon after the last one
	timer   *time.Timer
}

func (o *output) Silent() bool { return o.cell.Request.Silent }

func (o *output) publish(messageType string, content any) { o.cell.Publish(messageType, content) }

// print writes to a stream of the cell: stdout · stderr.
func (o *output) print(stream, text string) {
	o.publish("stream", jupyter.Stream{Name: stream, Text: text})
}

func displayData(p chart.Picture, id string) jupyter.DisplayData {
	return jupyter.DisplayData{Data: p.Bundle(), Metadata: p.Metadata(), Transient: jupyter.Transient{DisplayID: id}}
}

func (o *output) Display(p chart.Picture) {
	o.flush()
	o.publish("display_data", displayData(p, ""))
}

// Update implements magic.Output. It delays updates that follow too closely; the last one is always
// shown.
func (o *output) Update(id string, p chart.Picture) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.console != nil {
		o.rewrite(p)
		return
	}
	o.update(id, displayData(p, id))
}

// update shows data in the display with that id. The caller holds the lock.
func (o *output) update(id string, data jupyter.DisplayData) {
	d, ok := o.displays[id]
	if !ok {
		if o.displays == nil {
			o.displays = map[string]*display{}
		}
		o.displays[id] = &display{last: time.Now()}
		o.publish("display_data", data)
		return
	}
	if wait := updateInterval - time.Since(d.last); wait > 0 {
		if d.pending == nil {
			d.timer = time.AfterFunc(wait, o.flush)
		}
		d.pending = &data
		return
	}
	o.show(d, data)
}

// show publishes an update. The caller holds the lock.
func (o *output) show(d *display, data jupyter.DisplayData) {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.last, d.pending, d.timer = time.Now(), nil, nil
	o.publish("update_display_data", data)
}

// flush publishes delayed updates.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle()
	for _, d := range o.displays {
		if d.pending != nil {
			o.show(d, *d.pending)
		}
	}
}

func (o *output) Result(p chart.Picture) {
	o.flush()
	o.cell.Result(displayData(p, ""))
}

func (o *output) Page(p chart.Picture) {
	o.cell.AddPayload(map[string]any{"source": "page", "data": p.Bundle(), "start": 0})
}

func (o *output) Clear(wait bool) {
	o.flush()
	o.publish("clear_output", jupyter.ClearOutput{Wait: wait})
}

// consoleLine is a line of a console that is rewritten in place, and becomes a display at the end.
type consoleLine struct {
	width int // characters on the line
	last  *chart.Picture
}

// consoleColumns is the width that every terminal has.
const consoleColumns = 79

// rewrite shows a display in the console's line. The caller holds the lock.
func (o *output) rewrite(p chart.Picture) {
	text := words.Shorten(strings.TrimSpace(strings.ReplaceAll(p.Text, "\n", " ")), consoleColumns)
	width := utf8.RuneCountInString(text)
	o.print("stdout", "\r"+text+strings.Repeat(" ", max(0, o.console.width-width)))
	o.console.width, o.console.last = width, &p
}

// wipe clears the console's line before other output. The caller holds the lock.
func (o *output) wipe() {
	if o.console != nil && o.console.width > 0 {
		o.print("stdout", "\r"+strings.Repeat(" ", o.console.width)+"\r")
		o.console.width = 0
	}
}

// settle turns the console's line into a display. The caller holds the lock.
func (o *output) settle() {
	o.wipe()
	if o.console != nil && o.console.last != nil {
		o.publish("display_data", displayData(*o.console.last, ""))
		o.console.last = nil
	}
}

// makeRoom is called before a Go cell's own output.
func (o *output) makeRoom() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wipe()
}
