package kernel

import (
	"strings"
	"sync"
	"unicode/utf8"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
)

// consoles remembers what line consoles asked about last. They ask whether code is complete right before they run it, notebooks do not;
// and jupyter console shows no update of a display.
type consoles struct {
	mu    sync.Mutex
	asked map[string]string // code by session
}

// mostConsoles bounds what is remembered of front ends that have gone.
const mostConsoles = 64

func (c *consoles) ask(session, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil || len(c.asked) >= mostConsoles {
		c.asked = map[string]string{}
	}
	c.asked[session] = strings.TrimSpace(code)
}

// typed reports whether code was typed into a console.
func (c *consoles) typed(session, code string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked, ok := c.asked[session]
	delete(c.asked, session)
	return ok && asked == strings.TrimSpace(code)
}

// consoleLine is a line of a console that is written again and again, and becomes a display when nothing more comes.
type consoleLine struct {
	width int // characters that stand there now
	last  *chart.Picture
}

// consoleColumns is what every terminal has.
const consoleColumns = 79

// rewrite shows the state of a display in the console's line; the caller holds the lock.
func (o *output) rewrite(p chart.Picture) {
	text := words.Shorten(strings.TrimSpace(strings.ReplaceAll(p.Text, "\n", " ")), consoleColumns)
	width := utf8.RuneCountInString(text)
	o.stream("\r" + text + strings.Repeat(" ", max(0, o.console.width-width)))
	o.console.width, o.console.last = width, &p
}

// wipe clears the console's line for what comes between; the caller holds the lock.
func (o *output) wipe() {
	if o.console != nil && o.console.width > 0 {
		o.stream("\r" + strings.Repeat(" ", o.console.width) + "\r")
		o.console.width = 0
	}
}

// settle makes the console's line a display; the caller holds the lock.
func (o *output) settle() {
	o.wipe()
	if o.console != nil && o.console.last != nil {
		o.publish("display_data", displayData(*o.console.last, ""))
		o.console.last = nil
	}
}

func (o *output) stream(text string) {
	o.publish("stream", jupyter.Stream{Name: "stdout", Text: text})
}

// makeRoom is called before a Go cell's own output.
func (o *output) makeRoom() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wipe()
}
