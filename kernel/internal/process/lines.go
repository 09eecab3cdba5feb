package process

import (
	"bufio"
	"errors"
	"io"
	"iter"
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
