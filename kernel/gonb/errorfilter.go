package gonb

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/jupyter"
)

// errorFilter gives a failing cell exactly one error. GoNB publishes an error,
// repeats it in its reply, and writes to stderr how the process ended. Only the
// reply counts here. The last line that a failing cell writes to stderr is its
// error, as in a terminal, and so are a panic and its stack. The caller of its
// methods must hold mu.
type errorFilter struct {
	mu      sync.Mutex
	held    *jupyter.Message  // text on stderr that may be the error
	text    string            // text of held
	behind  []jupyter.Message // messages that came after held and are published after it
	crash   bool              // held is a panic with its stack
	note    *jupyter.Message  // may be GoNB's note on how the process ended
	timer   *time.Timer       // releases held
	done    bool              // GoNB has published idle; later output is no error
	program func() *program   // program of the cell, read once
}

// logPlace is a line of the program as logs and tests name it,
// "main_test.go:12: ". Where GoNB points it out, it is the whole path after a
// place that GoNB has added.
var logPlace = regexp.MustCompile(`(?m)(^|[ \t]|\s?\x1b\[7m\[\[ Cell (?:\[-?\d+\] )?Line \d+ \]\]\x1b\[0m \S*/gonb_[0-9a-f]+/)main(?:_test)?\.go:(\d+): `)

// inCells replaces places in GoNB's program by places in cells.
func (f *errorFilter) inCells(text string) string {
	return logPlace.ReplaceAllStringFunc(text, func(found string) string {
		match := logPlace.FindStringSubmatch(found)
		number, _ := strconv.Atoi(match[2])
		if at, ok := f.program().placeOf(number, 0); ok {
			if strings.Contains(match[1], "[[") {
				match[1] = ""
			}
			return match[1] + at.name(f.program().cell) + ": "
		}
		return found
	})
}

// lineLimit bounds how long a line on stderr is held back. crashLimit does so
// for the first line of a panic, and dumpLimit for a panic whose stack has
// begun or must follow. GoNB's note comes within milliseconds on a quiet
// machine, but a program may print such lines and continue. After the first
// line of a stack overflow, Go walks a gigabyte of stack before it prints more.
const (
	lineLimit  = 250 * time.Millisecond
	crashLimit = 2 * time.Second
	dumpLimit  = time.Minute
)

// endNote matches what GoNB writes to stderr when a cell's process fails.
var endNote = regexp.MustCompile(`^(\^C\n)?((?:exit status|signal:) [^\n]*)\n$`)

// publish passes on a message of a cell, or holds it back. It drops what the
// kernel publishes itself, and closes p.idle at GoNB's idle status.
func (c *Child) publish(p *pending, m jupyter.Message) {
	c.messages.Add(1)
	f := &p.errors
	f.mu.Lock()
	defer f.mu.Unlock()
	switch m.Header.Type {
	case "status":
		var status jupyter.Status
		if m.Decode(&status) == nil && status.State == "idle" && !f.done {
			f.done = true
			close(p.idle)
		}
		return
	case "execute_input", "error": // the kernel publishes these
		return
	case "stream":
		var s jupyter.Stream
		if m.Decode(&s) != nil {
			break
		}

		if s.Name == "stderr" && !f.done {
			f.stderrText(p.cell, m, s.Text)
			return
		}

		if text := f.inCells(s.Text); text != s.Text {
			m.Content = jupyter.Content(jupyter.Stream{Name: s.Name, Text: text})
		}

		if f.note != nil && !f.done { // a later shell line writes
			p.cell.Publish(*f.note)
			f.note = nil
		}
	}

	m = withText(m)

	if f.held != nil && !f.crash {
		f.behind = append(f.behind, m)
		return
	}
	p.cell.Publish(m)
}

var tags = regexp.MustCompile(`<[^>]*>`)

// withText adds text for consoles to a display that GoNB has made, such as the
// list of %ls. It returns other messages as they are.
func withText(m jupyter.Message) jupyter.Message {
	var d jupyter.DisplayData
	if m.Header.Type != "display_data" || m.Decode(&d) != nil || d.Data["text/plain"] != nil {
		return m
	}
	for _, form := range []string{"text/markdown", "text/html"} {
		if text, ok := d.Data[form].(string); ok {
			d.Data["text/plain"] = strings.TrimSpace(html.UnescapeString(tags.ReplaceAllString(text, "")))
			m.Content = jupyter.Content(d)
		}
	}
	return m
}

// stderrText publishes what was held back, and then text, which a cell wrote on
// stderr. It holds back the last line of text if that line is complete. It also
// holds back a panic with its stack, which grows with each message, and GoNB's
// note.
func (f *errorFilter) stderrText(cell *Cell, m jupyter.Message, text string) {
	if endNote.MatchString(text) {
		f.note = &m
		return
	}

	if f.crash {
		text = f.text + text
	} else {
		f.release(cell)
	}

	cut := len(text) // text before it is published now
	switch begin := crashBegins.FindStringIndex(text); {
	case begin != nil:
		cut, f.crash = begin[0], true
	case strings.HasSuffix(text, "\n"):
		cut = strings.LastIndexByte(text[:len(text)-1], '\n') + 1
	}

	f.publish(cell, m, text[:cut])
	if cut == len(text) {
		return
	}

	f.hold(cell, m, text[cut:])
}

// publish publishes text in a copy of message m, with places in cells.
func (f *errorFilter) publish(cell *Cell, m jupyter.Message, text string) {
	if text == "" {
		return
	}
	m.Content = jupyter.Content(jupyter.Stream{Name: "stderr", Text: f.inCells(text)})
	cell.Publish(m)
}

// hold keeps text back until take or release is called, or the limit for this
// kind of text has passed.
func (f *errorFilter) hold(cell *Cell, m jupyter.Message, text string) {
	if f.timer != nil {
		f.timer.Stop()
	}

	f.held, f.text = &m, text
	limit := lineLimit
	switch {
	case f.crash && (strings.Contains(text, "\ngoroutine ") || strings.HasPrefix(text, "runtime: ")):
		limit = dumpLimit
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

// release publishes everything that was held back, followed by GoNB's note.
func (f *errorFilter) release(cell *Cell) {
	f.releaseHeld(cell)
	if f.note != nil {
		cell.Publish(*f.note)
		f.note = nil
	}
}

// release publishes everything that was held back, for a cell that gets no
// reply.
func (p *pending) release() {
	p.errors.mu.Lock()
	defer p.errors.mu.Unlock()
	p.errors.release(p.cell)
}

// releaseLine publishes everything that was held back, unless that is a panic.
func (p *pending) releaseLine() {
	p.errors.mu.Lock()
	defer p.errors.mu.Unlock()
	if !p.errors.crash {
		p.errors.release(p.cell)
	}
}

// releaseHeld publishes the text that was held back, and the messages after it.
func (f *errorFilter) releaseHeld(cell *Cell) {
	if m, text := f.removeHeld(); m != nil {
		f.publish(cell, *m, text)
	}
	f.releaseBehind(cell)
}

// releaseBehind publishes the messages that came after a line that was held
// back.
func (f *errorFilter) releaseBehind(cell *Cell) {
	for _, m := range f.behind {
		cell.Publish(m)
	}
	f.behind = nil
}

// removeHeld removes the message that is held back and returns it with its text. It
// returns nil if no message is held back. Messages behind it stay.
func (f *errorFilter) removeHeld() (*jupyter.Message, string) {
	m, text := f.held, f.text
	if m != nil {
		f.timer.Stop()
	}
	f.held, f.text, f.crash = nil, "", false
	return m, text
}

// replyFor makes a cell's reply from GoNB's. The reply is zero if the cell
// succeeded. Otherwise it is a panic, the last line on stderr after exit status
// 1 or 130, Interrupted, ExitError, or the compiler's errors. replyFor
// publishes what was held back, except what becomes the error.
func replyFor(p *pending, content jupyter.ErrorReply, interrupted bool) jupyter.ErrorReply {
	f := &p.errors
	f.mu.Lock()
	defer f.mu.Unlock()
	note := f.ending()

	if content.Status != "error" {
		if interrupted && strings.HasPrefix(note, "signal:") { // a shell line: GoNB reports no error
			f.note = nil
			f.release(p.cell)
			return shortError("Interrupted", "the cell was interrupted")
		}

		if note != "" && cell.EndsInShell(p.cell.Code) { // GoNB reports no error here either
			f.note = nil
			f.release(p.cell)
			return shortError("ExitError", "the shell ended with "+note)
		}

		f.release(p.cell)
		return jupyter.ErrorReply{}
	}

	if note == content.Value {
		f.note = nil
	}

	switch ended := hasRun(content); {
	case ended && f.crash && !interrupted:
		_, text := f.removeHeld()
		return crashReply(text, f.program())
	case ended && (content.Value == "exit status 1" || content.Value == "exit status 130") && f.held != nil && !f.crash:
		_, text := f.removeHeld()
		f.releaseBehind(p.cell)
		return f.lineAsError(content.Value, text)
	case interrupted:
		if f.crash {
			f.removeHeld() // the goroutines at the interrupt
		}
		f.release(p.cell)
		return shortError("Interrupted", "the cell was interrupted")
	case ended:
		f.release(p.cell)
		return shortError("ExitError", "the cell ended with "+content.Value)
	default:
		f.release(p.cell)
		return compileError(content, f.program())
	}
}

// hasRun reports whether the cell compiled. If it did, GoNB remembers its
// declarations, even if the cell failed.
func hasRun(content jupyter.ErrorReply) bool {
	return content.Status != "error" || endNote.MatchString(content.Value+"\n")
}

// ending returns how the process ended, according to GoNB's note. It returns ""
// if there is no note.
func (f *errorFilter) ending() string {
	var s jupyter.Stream
	if f.note == nil || f.note.Decode(&s) != nil {
		return ""
	}
	if match := endNote.FindStringSubmatch(s.Text); match != nil {
		return match[2]
	}
	return ""
}

// lineAsError returns the last line on stderr as the cell's error. Its name is
// Interrupted after exit status 130, and Error otherwise.
func (f *errorFilter) lineAsError(how, text string) jupyter.ErrorReply {
	name := "Error"
	if how == "exit status 130" {
		name = "Interrupted"
	}
	text = strings.TrimSuffix(f.inCells(text), "\n")
	return jupyter.ErrorReply{Name: name, Value: text, Traceback: []string{red(text)}}
}

// shortError returns an error whose traceback is one line with its name and
// value.
func shortError(name, value string) jupyter.ErrorReply {
	return jupyter.ErrorReply{Name: name, Value: value, Traceback: []string{red(name + ": " + value)}}
}

// firstBytes shortens text to at most n bytes and an ellipsis, without cutting
// a character.
func firstBytes(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
