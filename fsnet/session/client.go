package session

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet/errs"
)

// Client is a connection to a host or kernel that answers verbs. It is safe
// for concurrent use.
type Client struct {
	// PauseLimit limits how long a step or run may take to pause once its
	// context has ended. Call then gives up. 0 means four seconds, which
	// suits a cell, because GoNB kills it after five. You must set it before
	// the first call.
	PauseLimit time.Duration

	path string
	endpoint

	mu      sync.Mutex
	last    int64                                     // ID of the last request
	waiting map[int64]chan<- message[json.RawMessage] // by request ID
	watches map[int64]*mailbox                        // by watch number
	lost    *errs.Error                               // Why the connection ended. It is nil until then.
	ended   chan struct{}                             // closed when the connection ends
}

var _ Caller = (*Client)(nil)

// Dial connects to the kernel or host that listens on a Unix socket. The
// error is of kind Unavailable if no process listens there, and of kind
// Interrupted if ctx ends first.
func Dial(ctx context.Context, path string) (*Client, error) {
	conn, err := connect(ctx, path)
	if err != nil {
		if ctx.Err() != nil {
			return nil, interruptedError(ctx, "connecting to "+path)
		}
		return nil, errs.Wrap(err, errs.Unavailable, "restart the notebook's kernel; outside one, start fsnet host first",
			"nothing answers at the socket %s", path)
	}
	c := &Client{path: path, endpoint: endpoint{conn: conn, limit: writeLimit}, waiting: map[int64]chan<- message[json.RawMessage]{},
		watches: map[int64]*mailbox{}, ended: make(chan struct{})}
	go c.read()
	return c, nil
}

// connect opens a connection to a Unix socket. It does not use package net,
// because linking that would take every notebook cell a quarter longer. The
// file is in non-blocking mode, so deadlines work on it, and closing it ends a
// read.
func connect(ctx context.Context, path string) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	syscall.ForkLock.RLock() // no child may inherit it
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := connectTo(ctx, fd, path); err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	return os.NewFile(uintptr(fd), path), nil
}

// connectTo makes fd non-blocking and connects it. It retries while the
// peer's queue is full, until ctx ends.
func connectTo(ctx context.Context, fd int, path string) error {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	for {
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		switch {
		case err == nil, errors.Is(err, syscall.EISCONN):
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINPROGRESS), errors.Is(err, syscall.EALREADY):
			// The peer has not accepted earlier clients yet.
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		default:
			return os.NewSyscallError("connect", err)
		}
	}
}

// Disconnect ends the connection and every call in progress. The requested
// verbs continue in the host.
func (c *Client) Disconnect() {
	c.endWith(errs.New(errs.Unavailable, "dial again", "the connection to %s was closed here", c.path))
}

// Ended returns a channel that is closed when the connection has ended, on
// either side.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Call sends a request, waits for the answer, and decodes it into result unless
// that is nil. If ctx ends first, Call returns an error of kind Interrupted,
// and the host continues with the request. A step, run or rewind is an
// exception: Call pauses it and returns its status. If ctx has ended before the
// call, Call does not send the request. For a step or run it then asks for the
// status.
func (c *Client) Call(ctx context.Context, verb string, params, result any) error {
	if ctx.Err() != nil {
		if name := movedSession(params); name != "" && verb != string(VerbRewind) {
			return c.Call(context.WithoutCancel(ctx), string(VerbStatus), NameRequest{name}, result)
		}
		return interruptedError(ctx, verb)
	}
	answers, err := c.send(verb, params)
	if err != nil {
		return err
	}
	select {
	case a := <-answers:
		return a.decode(verb, result)
	case <-ctx.Done():
	}
	name := movedSession(params)
	if name == "" {
		return interruptedError(ctx, verb)
	}
	return c.pause(name, answers, verb, result)
}

// movedSession returns the session that a request advances or rewinds. It
// returns "" for other requests.
func movedSession(params any) string {
	switch p := params.(type) {
	case StepRequest:
		return p.Session
	case RunRequest:
		return p.Session
	case RewindRequest:
		return p.Session
	}
	return ""
}

// pauseLimit must be longer than what the host may finish before it pauses: a
// chunk of 100 ms, one step, or a compilation.
const (
	pauseAgain = 200 * time.Millisecond // first wait; doubled each time
	pauseLimit = 4 * time.Second
)

// pause pauses a session until the host answers the request in progress, and
// decodes that answer into result. It sends pause repeatedly, because a pause
// that arrives before its run has no effect. After PauseLimit the error is of
// kind Interrupted.
func (c *Client) pause(name string, answers <-chan message[json.RawMessage], verb string, result any) error {
	wait := pauseAgain
	again := time.NewTimer(wait)
	defer again.Stop()
	enough := cmp.Or(c.PauseLimit, pauseLimit)
	limit := time.NewTimer(enough)
	defer limit.Stop()
	for {
		if _, err := c.send(string(VerbPause), NameRequest{name}); err != nil {
			return err
		}
		select {
		case a := <-answers:
			return a.decode(verb, result)
		case <-again.C:
			wait *= 2
			again.Reset(wait)
		case <-limit.C:
			return errs.New(errs.Interrupted, "ask for its status later", "session %q did not pause within %s", name,
				enough)
		}
	}
}

// send writes a request and returns the channel for its answer. If the
// connection breaks later, the answer gives the reason. send returns an error
// if the connection is already lost, if params cannot be encoded, or if the
// peer does not read.
func (c *Client) send(verb string, params any) (<-chan message[json.RawMessage], error) {
	// It is buffered, so that an answer without a waiting caller cannot block
	// the reader.
	answers := make(chan message[json.RawMessage], 1)
	c.mu.Lock()
	c.last++
	id := c.last
	if c.lost != nil {
		c.mu.Unlock()
		return nil, c.lost
	}
	c.waiting[id] = answers
	c.mu.Unlock()

	written, err := c.write(message[any]{ID: strconv.AppendInt(nil, id, 10), Method: verb, Params: params})
	switch {
	case err == nil:
	// Keep the connection: the peer may recover.
	case written == 0 && errors.Is(err, os.ErrDeadlineExceeded):
		err = errs.New(errs.Unavailable, "ask again later", "the process at %s has read no request for %s", c.path, c.limit)
		fallthrough
	case errs.Is(err, errs.Request):
		c.claim(id)
		return nil, err
	case !errors.Is(err, syscall.EPIPE): // if the peer has hung up, we can still read its last words
		c.loseTo(err)
	}
	return answers, nil
}

// claim removes and returns the channel that waits for an answer. If the call
// is over, it returns nil.
func (c *Client) claim(id int64) chan<- message[json.RawMessage] {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.waiting[id]
	delete(c.waiting, id)
	return to
}

// read delivers every line to the goroutine that waits for it, until the
// connection ends. Then it ends every call and watch with the reason.
func (c *Client) read() {
	lines := bufio.NewReader(c.conn)
	var farewell *errs.Error // a last error without a request, e.g. that there are too many clients
	for {
		line, err := readLine(lines, math.MaxInt)
		if err != nil && farewell != nil && farewell.Kind == errs.Unavailable {
			c.endWith(farewell)
			return
		}
		var m message[json.RawMessage]
		if err == nil && json.Unmarshal(line, &m) != nil {
			err = errors.New("it sent something other than JSON")
		}
		if err != nil {
			c.loseTo(err)
			return
		}

		var id int64
		switch {
		case m.Method == "update":
			c.deliver(m.Params)
		case m.Method == "" && json.Unmarshal(m.ID, &id) == nil && id > 0:
			if to := c.claim(id); to != nil {
				to <- m
			}
		case m.Error != nil: // answers no particular request
			farewell = m.Error.fault()
		}
	}
}

// decode decodes the answer to a verb into result. result may be nil. An error
// of the peer keeps its kind.
func (m message[T]) decode(verb string, result any) error {
	switch text := any(m.Result).(json.RawMessage); {
	case m.Error != nil:
		return m.Error.fault()
	case result == nil:
		return nil
	default:
		if err := json.Unmarshal(text, result); err != nil {
			return errs.Wrap(err, errs.Failed, "use the same version of fsnet in both processes", "the answer to %s cannot be read", verb)
		}
		return nil
	}
}

// loseTo ends the connection because of an error of reading or writing.
func (c *Client) loseTo(err error) {
	c.endWith(errs.Wrap(err, errs.Unavailable,
		"its process ended or was killed: open the session again, and restart the kernel if that does not help", "the connection to %s was lost",
		c.path))
}

// endWith ends the connection and answers every call in progress with the
// reason. Only the first call has an effect.
func (c *Client) endWith(reason *errs.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return
	}
	c.lost = reason
	c.conn.Close() //nolint:errcheck // it is gone either way
	close(c.ended) // first, so that a goroutine with an answer sees that the connection has ended
	for _, to := range c.waiting {
		to <- message[json.RawMessage]{Error: newError(codeFault, reason)}
	}
	c.waiting = nil
}

// interruptedError returns the error for a call that ended because ctx did.
func interruptedError(ctx context.Context, doing string) *errs.Error {
	return errs.Wrap(context.Cause(ctx), errs.Interrupted, "", "%s was interrupted", doing)
}

// Watch implements [Caller].
func (c *Client) Watch(ctx context.Context, request WatchRequest, tell func(Update)) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the caller ended it
	}

	box := &mailbox{changed: make(chan struct{}, 1)}
	request.Watch = c.addWatch(box)
	defer c.removeWatch(request.Watch)
	answers, err := c.send(string(verbWatch), request)
	if err != nil {
		return err
	}
	for {
		select {
		case a := <-answers:
			if a.Error != nil {
				return a.Error.fault()
			}
			answers = nil // the updates follow
		case <-box.changed:
			c.mu.Lock()
			update, pending, failure := box.drain()
			c.mu.Unlock()
			if pending {
				tell(update)
			}
			if failure != nil || pending && update.Status.State == Closed {
				return failure
			}
		case <-ctx.Done():
			go c.unwatch(request.Watch, answers)
			return nil
		case <-c.ended:
			return c.lost
		}
	}
}

// unwatch ends a watch at the server. It first waits for the answer to
// watch, because the end must not overtake it. answers is nil if that answer
// has arrived.
func (c *Client) unwatch(number int64, answers <-chan message[json.RawMessage]) {
	if answers != nil {
		<-answers
	}
	c.send(string(verbUnwatch), unwatchRequest{number}) //nolint:errcheck // if the connection is lost, so is the watch
}

// mailbox receives the updates of one watch, so that the reader of the
// connection never waits. The client's mutex guards it.
type mailbox struct {
	changed chan struct{}
	update  Update
	pending bool
	failure error
}

// drain empties the mailbox, except for failure. update is valid only if
// pending is true.
func (b *mailbox) drain() (update Update, pending bool, failure error) {
	update, pending, failure = b.update, b.pending, b.failure
	b.update, b.pending = Update{}, false
	return update, pending, failure
}

// addWatch gives a watch a number. [Client.put] finds its mailbox by that
// number.
func (c *Client) addWatch(box *mailbox) (number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++ // numbers are never reused
	c.watches[c.last] = box
	return c.last
}

// removeWatch forgets the mailbox of a watch.
func (c *Client) removeWatch(number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, number)
}

// deliver delivers a notification to the mailbox of its watch. If the watch has
// not read the previous update yet, put merges the two. It ignores a
// notification that is malformed or belongs to a watch that has ended.
func (c *Client) deliver(params json.RawMessage) {
	var p notice
	if json.Unmarshal(params, &p) != nil {
		return
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	box := c.watches[p.Watch]
	if box == nil {
		return
	}

	if p.Update != nil {
		if box.pending {
			box.update = p.Update.after(box.update)
		} else {
			box.update, box.pending = *p.Update, true
		}
	}

	if p.Error != nil {
		box.failure = p.Error
	}

	select {
	case box.changed <- struct{}{}:
	default:
	}
}
