package process

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
)

// longestLine is how many bytes of a line [Lines] gives.
const longestLine = 1 << 20

// Lines gives what is read line by line, to its end. Of a line that is longer than a mebibyte it gives the beginning: a process whose
// words nobody reads any more would wait for ever.
func Lines(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		in := bufio.NewReader(r)
		var line []byte
		for {
			part, err := in.ReadSlice('\n')
			line = append(line, part[:min(len(part), longestLine-len(line))]...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err == nil || len(line) > 0 {
				if n := len(line); n > 0 && line[n-1] == '\n' {
					line = line[:n-1]
				}
				if !yield(string(line)) {
					return
				}
			}
			if err != nil {
				return
			}
			line = line[:0]
		}
	}
}

// tailLength is how many bytes a tail keeps.
const tailLength = 4096

// tail keeps the end of what a process writes, and passes on to log what is a line of a log like this process's. The zero value is ready.
type tail struct {
	log io.Writer // nil is nowhere

	mu   sync.Mutex
	text []byte
	line []byte // that has begun
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for part := range bytes.Lines(p) {
		t.line = append(t.line, part[:min(len(part), longestLine-len(t.line))]...)
		if part[len(part)-1] != '\n' {
			break
		}
		if t.log != nil && bytes.HasPrefix(t.line, []byte("time=")) && bytes.Contains(t.line, []byte(" level=")) {
			t.log.Write(t.line) //nolint:errcheck // nobody reads it
		}
		t.line = t.line[:0]
	}
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
