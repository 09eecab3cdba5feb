package replica_test

import (
	"bytes"
	"io"

	"fsnetlab/fsnet/session"
)

type fsnetStatus = session.Status

// newLines is an input that gives some lines and ends when end is called.
func newLines(text string) (in io.Reader, end func()) {
	r, w := io.Pipe()
	return io.MultiReader(bytes.NewBufferString(text), r), func() { w.Close() }
}

// answers keeps what a worker says and ends its input at the first answer.
type answers struct {
	bytes.Buffer
	end func()
}

func (a *answers) Write(p []byte) (int, error) {
	defer a.end()
	return a.Buffer.Write(p)
}
