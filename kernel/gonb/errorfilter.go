package gonb

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/kernel/wire"
)

// errorFilter is what was seen of one cell, to answer with one error in one shape. GoNB publishes an error, sends it again in its reply and
// repeats how the process ended on stderr; here the reply alone counts. The last line that a failing cell writes to stderr is its
// error, as a program's is in a terminal; so are a panic and what follows it.
type errorFilter struct {
	mu    sync.Mutex
	held  *wire.Message // of stderr, perhaps the error
	text  string        // of held
	crash bool          // held is a panic and what follows it
	note  *wire.Message // perhaps GoNB's note of how the process ended
	timer *time.Timer   // releases held
	done  bool
	made  *generated // the program of the cell, once a line of it was named
}

// shortPlace is a line of the program as logs and tests name it: "main_test.go:12: ".
var shortPlace = regexp.MustCompile(`(?m)(^|[ \t])main(?:_test)?\.go:(\d+): `)

// inCells names lines of cells where a log or a test names lines of the program that GoNB made of them.
func (c *Child) inCells(f *errorFilter, cell *Cell, text string) string {
	if cell == nil || !shortPlace.MatchString(text) {
		return text
	}
	if f.made == nil {
		f.made = c.generated(cell)
	}
	return shortPlace.ReplaceAllStringFunc(text, func(found string) string {
		match := shortPlace.FindStringSubmatch(found)
		number, _ := strconv.Atoi(match[2])
		if at, ok := f.made.at(number, 0); ok {
			return match[1] + at.name(f.made.cell) + ": "
		}
		return found
	})
}

// lineLimit is how long a line on stderr is held back, crashLimit the first line of a panic, and dumpLimit a panic with its stack.
// GoNB's note follows the last one within a few milliseconds on a machine with time to spare, but a program may print such lines, or
// start another that does, and go on. After the first line of an overflow, Go walks a gigabyte of stack before it says where.
const (
	lineLimit     = 250 * time.Millisecond
	crashLimit    = 2 * time.Second
	dumpLimit     = 15 * time.Second
	overflowLimit = time.Minute
)

// endNote is what GoNB adds to stderr when a cell's process fails.
var endNote = regexp.MustCompile(`^(\^C\n)?((?:exit status|signal:) [^\n]*)\n$`)

// publish passes on one message of a cell, or keeps it.
func (c *Child) publish(p *pending, m wire.Message) {
	c.heard.Add(1)
	f := &p.errors
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m.Header.Type {
	case "status":
		var status wire.Status
		if m.Decode(&status) == nil && status.State == "idle" && !f.done {
			f.done = true
			close(p.idle)
		}
		return
	case "execute_input", "error": // the kernel publishes these
		return
	case "stream":
		var s wire.Stream
		if m.Decode(&s) != nil {
			break
		}
		if text := c.inCells(f, p.cell, s.Text); text != s.Text {
			s.Text = text
			m.Content = wire.NewMessage("", "", s).Content
		}
		if s.Name == "stderr" && !f.done {
			f.stderrText(p.cell, m, s.Text)
			return
		}
	}
	p.cell.Publish(m) // GoNB reads the outputs side by side, so this says nothing about the line held back
}

// stderrText publishes what a cell wrote to stderr except its last whole line, or a panic.
func (f *errorFilter) stderrText(cell *Cell, m wire.Message, text string) {
	if endNote.MatchString(text) {
		f.note = &m
		return
	}
	if f.crash {
		text = f.text + text
	} else {
		f.release(cell)
	}
	cut := len(text) // what is said now
	switch begin := crashBegins.FindStringIndex(text); {
	case begin != nil:
		cut, f.crash = begin[0], true
	case strings.HasSuffix(text, "\n"):
		cut = strings.LastIndexByte(text[:len(text)-1], '\n') + 1
	}
	say(cell, m, text[:cut])
	if cut == len(text) {
		return
	}
	f.hold(cell, m, text[cut:])
}

// say publishes text in place of a message's own, with the places of the generated program as those of cells.
func say(cell *Cell, m wire.Message, text string) {
	if text == "" {
		return
	}
	text = logPlace.ReplaceAllString(text, "cell ${1}line ${2}")
	m.Content = wire.NewMessage("", "", wire.Stream{Name: "stderr", Text: text}).Content
	cell.Publish(m)
}

// hold keeps text back for a while.
func (f *errorFilter) hold(cell *Cell, m wire.Message, text string) {
	if f.timer != nil {
		f.timer.Stop()
	}
	f.held, f.text = &m, text
	limit := lineLimit
	switch {
	case f.crash && strings.Contains(text, "\ngoroutine "):
		limit = dumpLimit
	case f.crash && strings.HasPrefix(text, "runtime: "):
		limit = overflowLimit
	case f.crash:
		limit = crashLimit
	}
	f.timer = time.AfterFunc(limit, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.held == &m {
			f.releaseHeld(cell)
		}
	})
}

// release publishes what was held back.
func (f *errorFilter) release(cell *Cell) {
	f.releaseHeld(cell)
	if f.note != nil {
		cell.Publish(*f.note)
		f.note = nil
	}
}

// release publishes what was held back of a cell that gets no reply.
func (p *pending) release() {
	p.errors.mu.Lock()
	defer p.errors.mu.Unlock()
	p.errors.release(p.cell)
}

func (f *errorFilter) releaseHeld(cell *Cell) {
	if m, text := f.take(); m != nil {
		say(cell, *m, text)
	}
}

// take gives what is held back, which is then no longer.
func (f *errorFilter) take() (*wire.Message, string) {
	m, text := f.held, f.text
	if m != nil {
		f.timer.Stop()
	}
	f.held, f.text, f.crash = nil, "", false
	return m, text
}

// finish makes the reply from GoNB's. made is the program that it made of the cell.
func finish(p *pending, content wire.ErrorReply, interrupted bool, made func() *generated) Reply {
	f := &p.errors
	f.mu.Lock()
	defer f.mu.Unlock()
	note := f.ending()
	if content.Status != "error" {
		if interrupted && strings.HasPrefix(note, "signal:") { // a shell line, of which GoNB reports no error
			f.note = nil
			f.release(p.cell)
			return oneLine("Interrupted", "the cell was interrupted")
		}
		f.release(p.cell)
		return Reply{}
	}
	if note == content.Value {
		f.note = nil
	}
	switch ended := hasRun(content); {
	case ended && f.crash && !interrupted:
		_, text := f.take()
		return crash(text, made())
	case ended && (content.Value == "exit status 1" || content.Value == "exit status 130") && f.held != nil && !f.crash:
		_, text := f.take()
		return lineAsError(content.Value, text)
	case interrupted:
		if f.crash {
			f.take() // where its goroutines stood
		}
		f.release(p.cell)
		return oneLine("Interrupted", "the cell was interrupted")
	case ended:
		f.release(p.cell)
		return oneLine("ExitError", "the cell ended with "+content.Value)
	default:
		f.release(p.cell)
		return compileError(content, made())
	}
}

// hasRun reports whether the cell compiled: GoNB then remembers what it declared, however it ended.
func hasRun(content wire.ErrorReply) bool {
	return content.Status != "error" || endNote.MatchString(content.Value+"\n")
}

// ending is how the note says that the process ended.
func (f *errorFilter) ending() string {
	var s wire.Stream
	if f.note == nil || f.note.Decode(&s) != nil {
		return ""
	}
	if match := endNote.FindStringSubmatch(s.Text); match != nil {
		return match[2]
	}
	return ""
}

// lineAsError is the last line on stderr as the cell's one error.
func lineAsError(how, text string) Reply {
	name := "Error"
	if how == "exit status 130" {
		name = "Interrupted"
	}
	text = strings.TrimSuffix(logPlace.ReplaceAllString(text, "cell ${1}line ${2}"), "\n")
	return Reply{Name: name, Value: text, Traceback: []string{red(text)}}
}

func oneLine(name, value string) Reply {
	return Reply{Name: name, Value: value, Traceback: []string{red(name + ": " + value)}}
}

func firstBytes(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
