package session

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
)

// Client is the verbs of all sessions at the other end of a socket. It may be used by many goroutines at once.
type Client struct {
	Verbs

	// PauseLimit is how long a step or run whose context has ended may take to pause before Call gives it up; 0 is four seconds, for a
	// cell, which GoNB would kill after five. It is set before the first call.
	PauseLimit time.Duration

	path       string
	conn       *os.File
	writeLimit time.Duration // that the other end may leave a request unread

	writing sync.Mutex // a line is written as a whole

	mu      sync.Mutex
	last    int64                   // id of the last request
	waiting map[int64]chan<- answer // by id of the request
	watches map[int64]*mailbox      // by the number that watch was given
	lost    *fault.Error            // why the connection ended, once it did
	ended   chan struct{}           // closed with it
}

type answer struct {
	result json.RawMessage
	err    error
}

// Dial connects to the kernel or host that listens on a Unix socket. An absent other end gives kind Unavailable.
func Dial(ctx context.Context, path string) (*Client, error) {
	conn, err := connect(ctx, path)
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupted(ctx, "connecting to "+path)
		}
		return nil, fault.Wrap(err, fault.Unavailable, "restart the notebook's kernel; outside one, start fsnet host first",
			"nothing answers at the socket %s", path)
	}
	c := &Client{path: path, conn: conn, writeLimit: 10 * time.Second, waiting: map[int64]chan<- answer{}, watches: map[int64]*mailbox{},
		ended: make(chan struct{})}
	c.Verbs = Verbs{c}
	go c.read()
	return c, nil
}

// Disconnect ends the connection and every call in progress. What the calls began at the other end goes on.
func (c *Client) Disconnect() {
	c.lose(fault.New(fault.Unavailable, "dial again", "the connection to %s was closed here", c.path))
}

// Ended is closed when the connection has ended, from whichever side.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Call makes one request by its method and waits for the answer, which is decoded into result unless that is nil. A context that ends
// gives kind Interrupted and leaves the request running at the other end, except for a step, run or rewind: that is paused, and the status
// says where.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	name := advancing(params)
	if ctx.Err() != nil && (name == "" || method == "rewind") {
		return interrupted(ctx, method)
	}
	if ctx.Err() != nil {
		return c.Call(context.WithoutCancel(ctx), "status", NameParams{name}, result)
	}
	answers, err := c.send(method, params)
	if err != nil {
		return err
	}
	select {
	case a := <-answers:
		return a.decode(method, result)
	case <-ctx.Done():
	}
	if name == "" {
		return interrupted(ctx, method)
	}
	return c.pause(name, answers, method, result)
}

// The other end pauses within a chunk of 100 ms, or one step where that is longer, or a program that is being compiled.
const (
	pauseAgain = 200 * time.Millisecond // at first; twice as long each time
	pauseLimit = 4 * time.Second
)

// pause pauses a session until the request that it works on is answered. A pause that overtakes its run finds nothing to pause, so it is
// sent again.
func (c *Client) pause(name string, answers <-chan answer, method string, result any) error {
	wait := pauseAgain
	again := time.NewTimer(wait)
	defer again.Stop()
	enough := cmp.Or(c.PauseLimit, pauseLimit)
	limit := time.NewTimer(enough)
	defer limit.Stop()
	for {
		if _, err := c.send("pause", NameParams{name}); err != nil {
			return err
		}
		select {
		case a := <-answers:
			return a.decode(method, result)
		case <-again.C:
			wait *= 2
			again.Reset(wait)
		case <-limit.C:
			return fault.New(fault.Interrupted, "ask for its status later", "session %q was told to pause and has not answered for %s", name,
				enough)
		}
	}
}

// send writes a request and returns where its one answer will arrive.
func (c *Client) send(method string, params any) (<-chan answer, error) {
	answers := make(chan answer, 1) // an answer that nobody waits for any more does not block the reader
	c.mu.Lock()
	if c.lost != nil {
		c.mu.Unlock()
		return nil, c.lost
	}
	c.last++
	id := c.last
	c.waiting[id] = answers
	c.mu.Unlock()

	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		c.forget(id)
		return nil, fault.Wrap(err, fault.Request, "numbers must be finite", "%s cannot be sent", method)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	// An end that reads nothing for so long has stopped; without a limit every later call would wait for this one.
	written := 0
	err = c.conn.SetWriteDeadline(time.Now().Add(c.writeLimit))
	if err == nil {
		written, err = c.conn.Write(append(line, '\n'))
	}
	if written == 0 && errors.Is(err, os.ErrDeadlineExceeded) { // it may go on, and the connection with it
		c.forget(id)
		return nil, fault.New(fault.Unavailable, "ask again later", "nobody at %s has read a request for %s", c.path, c.writeLimit)
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) { // where the other end has hung up, what it said last is still to be read
		c.loseTo(err)
	}
	return answers, nil
}

func (c *Client) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// read hands every line to whom it is for, until the connection ends.
func (c *Client) read() {
	lines := bufio.NewReader(c.conn)
	var farewell *fault.Error // such as that there are too many clients
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && farewell != nil && farewell.Kind == fault.Unavailable {
			c.lose(farewell)
			return
		}
		if err != nil {
			c.loseTo(err)
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.loseTo(errors.New("it sent something other than JSON"))
			return
		}
		switch {
		case m.Method == "update":
			c.put(m.Params)
		case m.Method == "" && m.ID != nil:
			c.hand(*m.ID, m)
		case m.Error != nil: // of no request in particular
			farewell = m.Error.fault()
		}
	}
}

func (c *Client) hand(id int64, m message) {
	c.mu.Lock()
	to := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if to == nil {
		return
	}
	if m.Error != nil {
		to <- answer{err: m.Error.fault()}
		return
	}
	to <- answer{result: m.Result}
}

func (a answer) decode(method string, result any) error {
	if a.err != nil || result == nil {
		return a.err
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return fault.Wrap(err, fault.Failed, "use the same version of fsnet at both ends", "the answer to %s cannot be read", method)
	}
	return nil
}

func (c *Client) loseTo(err error) {
	c.lose(fault.Wrap(err, fault.Unavailable,
		"its process ended or was killed: open the session again, and restart the kernel if that does not help", "the connection to %s was lost",
		c.path))
}

// lose ends the connection once and answers every call in progress with the reason.
func (c *Client) lose(reason *fault.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return
	}
	c.lost = reason
	c.conn.Close() //nolint:errcheck // it is gone either way
	close(c.ended) // first, so that whoever gets an answer sees that the connection has ended
	for _, to := range c.waiting {
		to <- answer{err: reason}
	}
	c.waiting = nil
}

func interrupted(ctx context.Context, doing string) *fault.Error {
	return fault.Wrap(context.Cause(ctx), fault.Interrupted, "", "%s was interrupted", doing)
}
