// Package socket is the private Unix socket of a host, and JSON-RPC on it, an object a line.
//
// # Nouns
//
//   - [Listen] makes the socket, for its owner alone, and [RemoveDead] clears one that a killed process left behind.
//   - A [Channel] carries the requests and answers of one connection.
//
// # Caveats
//
// The directory of the socket must be closed to others (0700): not every system honours the mode of a socket. A request of more than
// [MaxLine] bytes ends its connection. Requests without an id are refused, since the library below would end the process over them.
package socket

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
)

const (
	// MaxLine bounds a request to a host, in bytes. The largest honest one names a table's covariates.
	MaxLine = 1 << 20
	// writeLimit is how long a client may leave its answers unread before the host takes it for dead.
	writeLimit = 10 * time.Second
)

// Channel is a channel.Channel of jrpc2 with one JSON object a line, of bounded length. It passes on requests with an id, alone or in
// batches, and refuses anything else itself: jrpc2 v1.3.5 keeps a request without id when its client goes away, and then ends the process
// by answering it on a connection that is nil.
type Channel struct {
	conn   net.Conn
	reader *bufio.Reader
	most   int // bytes of a line

	mu sync.Mutex // a line is written as a whole
}

// NewChannel is the channel of a connection, whose lines have most bytes at the most.
func NewChannel(conn net.Conn, most int) *Channel {
	return &Channel{conn: conn, most: most, reader: bufio.NewReaderSize(conn, 1<<16)}
}

// Recv returns the next line that holds requests. One that is too long ends the connection: what follows it cannot be trusted.
func (c *Channel) Recv() ([]byte, error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		problem := check(line)
		if problem == nil {
			return line, nil
		}
		if err := c.Refuse(problem); err != nil {
			return nil, err
		}
	}
}

// line returns the next line without its end.
func (c *Channel) line() ([]byte, error) {
	var line []byte
	for {
		part, err := c.reader.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > c.most:
			return nil, fmt.Errorf("the line is longer than %d bytes", c.most)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err // an unfinished line is no request
		}
		return line[:len(line)-1], nil
	}
}

// check says why a line holds no requests with ids.
func check(line []byte) *jrpc2.Error {
	requests, err := jrpc2.ParseRequests(line)
	if err != nil {
		return jrpc2.Errorf(jrpc2.ParseError, "not JSON in one line - send one object a line")
	}
	if len(requests) == 0 {
		return jrpc2.Errorf(jrpc2.InvalidRequest, "an empty batch - send one object a line")
	}
	for _, r := range requests {
		switch {
		case r.ID != "":
		case r.Error != nil:
			return r.Error
		default: // JSON-RPC calls it a notification and wants no answer, but a client that waits would wait for ever
			return jrpc2.Errorf(jrpc2.InvalidRequest, "a request without id - give it one")
		}
	}
	return nil
}

// Refuse answers a line whose id nobody knows.
func (c *Channel) Refuse(problem *jrpc2.Error) error {
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": problem})
	if err != nil {
		return err
	}
	return c.Send(message)
}

// Send writes one line.
func (c *Channel) Send(message []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	_, err := c.conn.Write(append(message, '\n'))
	if err != nil {
		c.conn.Close() //nolint:errcheck // half a line may have been written: the stream is broken
	}
	return err
}

// Close ends the connection.
func (c *Channel) Close() error { return c.conn.Close() }
