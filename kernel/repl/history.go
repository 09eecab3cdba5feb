package repl

import (
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/runs"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/kernel/internal/process"
)

const (
	historyName  = "repl_history"
	historyLines = 1000 // that are remembered; the file is cut back to them once it has twice as many
)

// history is what was typed, a line each, in a file that only its owner reads: names of data may be confidential. Where it cannot be
// read or written there is none, and nothing else suffers.
type history struct {
	path  string
	lines []string // at the start
	last  string
}

// openHistory reads the file; "" is the user's.
func openHistory(path string) *history {
	if path == "" {
		state := runs.StateHome()
		if state == "" {
			return &history{}
		}
		path = filepath.Join(state, "fsnet", historyName)
	}
	h := &history{path: path}
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	for text := range process.Lines(f) {
		if strings.TrimSpace(text) != "" {
			h.lines = append(h.lines, text)
		}
	}
	if len(h.lines) > 0 {
		h.last = h.lines[len(h.lines)-1]
	}
	long := len(h.lines) > 2*historyLines
	h.lines = h.lines[max(0, len(h.lines)-historyLines):]
	if long {
		atomicfile.WritePrivate(path, []byte(strings.Join(h.lines, "\n")+"\n")) //nolint:errcheck // it stays long
	}
	return h
}

// add remembers a line, unless it is the one before again. It reports whether it did.
func (h *history) add(text string) bool {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	if text == "" || text == h.last {
		return false
	}
	h.last = text
	if h.path == "" {
		return true
	}
	if os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return true
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return true
	}
	defer f.Close()
	f.Chmod(0o600)             //nolint:errcheck // as it was made, then
	f.WriteString(text + "\n") //nolint:errcheck // it is remembered until the end
	return true
}
