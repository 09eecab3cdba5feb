package gonb

import (
	"regexp"
	"strings"
	"sync"

	"fsnetlab/kernel/wire"
)

// habits is what was seen of one cell, to answer with one error in one shape. GoNB publishes an error, sends it again in its reply and
// repeats how the process ended on stderr; here the reply alone counts.
type habits struct {
	mu     sync.Mutex
	held   *wire.Message // perhaps GoNB's note of how the process ended
	stderr string        // its end
	done   bool
}

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
		if m.Decode(&s) == nil && s.Name == "stderr" {
			if endNote.MatchString(s.Text) && !h.done {
				h.release(p.cell)
				h.held = &m
				return
			}
			h.stderr = lastBytes(h.stderr+s.Text, 8192)
		}
	}
	h.release(p.cell)
	p.cell.Publish(m)
}

// release publishes the message held back.
func (h *habits) release(cell *Cell) {
	if h.held != nil {
		cell.Publish(*h.held)
		h.held = nil
	}
}

// finish makes the reply from GoNB's.
func (c *Child) finish(p *pending, content wire.ErrorReply, interrupted bool) Reply {
	h := &p.habits
	h.mu.Lock()
	defer h.mu.Unlock()
	if content.Status != "error" {
		h.release(p.cell)
		return Reply{}
	}
	if h.held != nil {
		var s wire.Stream
		if h.held.Decode(&s) == nil {
			if note := endNote.FindStringSubmatch(s.Text); note == nil || note[2] != content.Value {
				h.release(p.cell)
			}
		}
		h.held = nil
	}
	switch ended := endNote.MatchString(content.Value + "\n"); {
	case interrupted:
		return oneLine("Interrupted", "the cell was interrupted")
	case ended:
		return endedWith(content.Value, h.stderr)
	default:
		return compileError(content)
	}
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
		r.Traceback = append(r.Traceback, line)
	}
	for line := range strings.SplitSeq(content.Value, "\n") {
		if at := mainLine.FindStringIndex(line); at != nil && r.Value == "" {
			r.Value = line[at[1]:]
		}
	}
	if r.Value == "" {
		r.Name = "Error"
		r.Value, _, _ = strings.Cut(strings.TrimSpace(content.Value), "\n")
	}
	if len(r.Traceback) == 0 {
		r.Traceback = []string{red(r.Name + ": " + r.Value)}
	}
	return r
}

var (
	escapes  = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	mainLine = regexp.MustCompile(`^.*main(_test)?\.go:\d+:\d+: `)
)

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }

func lastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
