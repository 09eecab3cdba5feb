package gonb

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"fsnetlab/kernel/wire"
)

// habits is what was seen of one cell, to answer with one error in one shape. GoNB publishes an error, sends it again in its reply and
// repeats how the process ended on stderr; here the reply alone counts. The last line that a failing cell writes to stderr is its
// error, as a program's is in a terminal.
type habits struct {
	mu     sync.Mutex
	line   *wire.Message // the last line on stderr, perhaps the error
	note   *wire.Message // perhaps GoNB's note of how the process ended
	timer  *time.Timer   // releases line
	stderr string        // its end
	done   bool
}

// lineLimit is how long a line on stderr is held back. GoNB's note follows the last one within a few milliseconds.
const lineLimit = 100 * time.Millisecond

// endNote is what GoNB adds to stderr when a cell's process fails.
var endNote = regexp.MustCompile(`^(\^C\n)?((?:exit status|signal:) [^\n]*)\n$`)

// publish passes on one message of a cell, or keeps it.
func (c *Child) publish(p *pending, m wire.Message) {
	h := &p.habits
	h.mu.Lock()
	defer h.mu.Unlock()
	switch m.Header.Type {
	case "status":
		var status wire.Status
		if m.Decode(&status) == nil && status.State == "idle" && !h.done {
			h.done = true
			close(p.idle)
		}
		return
	case "execute_input", "error": // the kernel publishes these
		return
	case "stream":
		var s wire.Stream
		if m.Decode(&s) == nil && s.Name == "stderr" && !h.done {
			h.stderrText(p.cell, m, s.Text)
			return
		}
	}
	p.cell.Publish(m) // GoNB reads the outputs side by side, so this says nothing about the line held back
}

// stderrText publishes what a cell wrote to stderr except its last whole line.
func (h *habits) stderrText(cell *Cell, m wire.Message, text string) {
	if endNote.MatchString(text) {
		h.note = &m
		return
	}
	h.release(cell)
	h.stderr = lastBytes(h.stderr+text, 8192)
	body, whole := strings.CutSuffix(text, "\n")
	if !whole {
		cell.Publish(m)
		return
	}
	if cut := strings.LastIndexByte(body, '\n') + 1; cut > 0 {
		head := m
		head.Content = wire.NewMessage("", "", wire.Stream{Name: "stderr", Text: text[:cut]}).Content
		cell.Publish(head)
		m.Content = wire.NewMessage("", "", wire.Stream{Name: "stderr", Text: text[cut:]}).Content
	}
	h.line = &m
	h.timer = time.AfterFunc(lineLimit, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.line == &m {
			h.releaseLine(cell)
		}
	})
}

// release publishes what was held back.
func (h *habits) release(cell *Cell) {
	h.releaseLine(cell)
	if h.note != nil {
		cell.Publish(*h.note)
		h.note = nil
	}
}

func (h *habits) releaseLine(cell *Cell) {
	if h.line == nil {
		return
	}
	h.timer.Stop()
	cell.Publish(*h.line)
	h.line = nil
}

// finish makes the reply from GoNB's.
func (c *Child) finish(p *pending, content wire.ErrorReply, interrupted bool) Reply {
	h := &p.habits
	h.mu.Lock()
	defer h.mu.Unlock()
	note := h.ending()
	if content.Status != "error" {
		if interrupted && strings.HasPrefix(note, "signal:") { // a shell line, of which GoNB reports no error
			h.note = nil
			h.release(p.cell)
			return oneLine("Interrupted", "the cell was interrupted")
		}
		h.release(p.cell)
		return Reply{}
	}
	if note == content.Value {
		h.note = nil
	}
	switch ended := endNote.MatchString(content.Value + "\n"); {
	case ended && (content.Value == "exit status 1" || content.Value == "exit status 130") && h.line != nil:
		return h.lineAsError(content.Value)
	case interrupted:
		h.release(p.cell)
		return oneLine("Interrupted", "the cell was interrupted")
	case ended:
		h.release(p.cell)
		return endedWith(content.Value, h.stderr)
	default:
		h.release(p.cell)
		return compileError(content)
	}
}

// ending is how the note says that the process ended.
func (h *habits) ending() string {
	var s wire.Stream
	if h.note == nil || h.note.Decode(&s) != nil {
		return ""
	}
	if match := endNote.FindStringSubmatch(s.Text); match != nil {
		return match[2]
	}
	return ""
}

// lineAsError is the last line on stderr as the cell's one error.
func (h *habits) lineAsError(how string) Reply {
	var s wire.Stream
	h.line.Decode(&s) //nolint:errcheck // it was decoded before
	h.timer.Stop()
	h.line = nil
	name := "Error"
	if how == "exit status 130" {
		name = "Interrupted"
	}
	text := strings.TrimSuffix(s.Text, "\n")
	return Reply{Name: name, Value: text, Traceback: []string{red(text)}}
}

func oneLine(name, value string) Reply {
	return Reply{Name: name, Value: value, Traceback: []string{red(name + ": " + value)}}
}

// endedWith describes a process that failed. What it wrote to stderr is in the notebook already, so the error is one line: of a panic
// its message, else how it ended.
func endedWith(how, stderr string) Reply {
	for line := range strings.SplitSeq(stderr, "\n") {
		for _, kind := range []string{"panic: ", "fatal error: "} {
			if text, ok := strings.CutPrefix(line, kind); ok {
				return oneLine(strings.TrimSuffix(kind, ": "), strings.TrimSuffix(text, " [recovered]"))
			}
		}
	}
	return oneLine("ExitError", "the cell ended with "+how)
}

// compileError tidies what the go command said: GoNB puts every line of it in the traceback, each with its place in the cells.
func compileError(content wire.ErrorReply) Reply {
	r := Reply{Name: "CompileError"}
	for _, line := range content.Traceback {
		plain := strings.TrimSpace(escapes.ReplaceAllString(line, ""))
		if plain == "" || strings.HasPrefix(plain, "# gonb_") || endNote.MatchString(plain+"\n") {
			continue
		}
		r.Traceback = append(r.Traceback, inShort(line))
	}
	for line := range strings.SplitSeq(content.Value, "\n") {
		if at := mainLine.FindStringIndex(line); at != nil && r.Value == "" {
			r.Value = line[at[1]:]
		}
	}
	if r.Value == "" {
		r.Name = "Error"
		r.Value = firstBytes(ownModule.ReplaceAllString(strings.Join(strings.Fields(content.Value), " "), ""), 300)
	}
	if len(r.Traceback) == 0 {
		r.Traceback = []string{red(r.Name + ": " + r.Value)}
	}
	if h := hint(r.Value); h != "" {
		r.Value += " - " + h
		r.Traceback = append(r.Traceback, h)
	}
	return r
}

// hint is what to do about the traps that everybody falls into once.
func hint(message string) string {
	switch {
	case strings.Contains(message, "expected declaration, found"):
		return "write statements below a line that says %% (what stands above it are declarations, which later cells keep)"
	case message == "undefined: session" || message == "undefined: widgets":
		return "the packages for cells are not installed: run ./install.sh"
	}
	return ""
}

// inShort puts the message of one error first, and under it the line that it is about. GoNB gives the place, six lines of the program
// that it made of the cells with a caret among them, and the message.
func inShort(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	place, message := lines[0], lines[len(lines)-1]
	for i, line := range lines {
		if i < 2 || i == len(lines)-1 || strings.TrimSpace(line) != "^" || !strings.HasPrefix(place, "Cell") {
			continue
		}
		code := strings.ReplaceAll(lines[i-1], "\t", " ") // the caret counts a tab as one
		return red(place+": "+escapes.ReplaceAllString(message, "")) + "\n    " + code + "\n    " + line
	}
	return text
}

var (
	ownModule = regexp.MustCompile(`gonb_[0-9a-f]+ imports `) // "go: gonb_1234 imports some/package: …"
	escapes   = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	mainLine  = regexp.MustCompile(`^.*main(_test)?\.go:\d+:\d+: `)
)

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }

func firstBytes(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

func lastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
