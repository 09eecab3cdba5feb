package widgets

import (
	"io"
	"os"
	"sync"

	"fsnetlab/fsnet/session"
)

// Stdin is what the user of the notebook types: it asks for a line each time that there is none left to read. Outside a notebook it is
// os.Stdin. In a cell fmt.Scan reads from here.
func Stdin() io.Reader {
	if os.Getenv(session.SocketVariable) == "" {
		return os.Stdin
	}
	return typed()
}

// typed is one for a program, as standard input is: what one reader leaves, the next one gets.
//
//nolint:gochecknoglobals // see above
var typed = sync.OnceValue(func() io.Reader { return &lines{next: func() string { return ask("", false) }} })

// lines are read as a stream.
type lines struct {
	next func() string

	mu   sync.Mutex
	rest string
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if l.rest == "" {
		l.rest = l.next() + "\n"
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
