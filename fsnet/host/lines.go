package host

import (
	"bufio"
	"errors"
	"net"
	"time"
)

const (
	// maxLine bounds a request. The largest honest one names a table's covariates.
	maxLine = 1 << 20
	// writeLimit is how long a client may leave its answers unread before it is taken for dead.
	writeLimit = 10 * time.Second
)

var errLine = errors.New("the line is longer than 1 MiB")

// lines is a channel.Channel of one JSON object a line, bounded in size and patience.
type lines struct {
	conn   net.Conn
	reader *bufio.Reader
}

func newLines(conn net.Conn) *lines { return &lines{conn, bufio.NewReaderSize(conn, 1<<16)} }

// Recv returns the next line without its end. One that is too long ends the connection: what follows it cannot be trusted.
func (l *lines) Recv() ([]byte, error) {
	var line []byte
	for {
		part, err := l.reader.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLine
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err // an unfinished line is no request
		}
		return line[:len(line)-1], nil
	}
}

// Send writes one line.
func (l *lines) Send(message []byte) error {
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	_, err := l.conn.Write(append(message, '\n'))
	if err != nil {
		l.conn.Close() //nolint:errcheck // half a line may have been written: the stream is broken
	}
	return err
}

// Close ends the connection.
func (l *lines) Close() error { return l.conn.Close() }
