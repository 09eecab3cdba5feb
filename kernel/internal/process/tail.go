package process

import (
	"strings"
	"sync"
)

// tailLength is how many bytes a tail keeps.
const tailLength = 4096

// tail keeps the end of what a process writes. The zero value is ready.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailLength; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last is the last line that is not blank and fits, or "".
func (t *tail) last(fits func(line string) bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := ""
	for line := range strings.SplitSeq(string(t.text), "\n") {
		if line = strings.TrimSpace(line); line != "" && fits(line) {
			last = line
		}
	}
	return last
}
