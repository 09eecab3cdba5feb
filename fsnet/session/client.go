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

// Client is a connection to a host or kernel, whose verbs it answers. It may be used by many goroutines at once.
type Client struct {
	// PauseLimit is how long a step or run whose context has ended may take to pause before Call gives it up; 0 is four seconds, for a
	// cell, which GoNB would kill after five. It is set before the first call.
	PauseLimit time.Duration

	path string
	endpoint

	mu      sync.Mutex
	last    int64                                     // id of the last request
	waiting map[int64]chan<- message[json.RawMessage] // by id of the request
	watches map[int64]*mailbox                        // by the number that watch was given
	lost    *errs.Error                               // why the connection ended, once it did
	ended   chan struct{}                             // closed with it
}

var _ Caller = (*Client)(nil)

// Dial connects to the kernel or host that listens on a Unix socket. Where nobody does the error is of kind Unavailable.
func Dial(ctx context.Context, path string) (*Client, error) {
	conn, err := connect(ctx, path)
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupted(ctx, "connecting to "+path)
		}
		return nil, errs.Wrap(err, errs.Unavailable, "restart the notebook's kernel; outside one, start fsnet host first",
			"nothing answers at the socket %s", path)
	}
	c := &Client{path: path, endpoint: endpoint{conn: conn, limit: writeLimit}, waiting: map[int64]chan<- message[json.RawMessage]{},
		watches: map[int64]*mailbox{}, ended: make(chan struct{})}
	go c.read()
	return c, nil
}

// connect opens a connection to a Unix socket without package net, which would make the linking of every notebook cell, and with it the
// cell, a quarter slower. The file is in non-blocking mode: deadlines work on it, and closing it ends a read.
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
			// The peer has not accepted the clients before this one.
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

// Disconnect ends the connection and every call in progress. The verbs that these asked for go on.
func (c *Client) Disconnect() {
	c.lose(errs.New(errs.Unavailable, "dial again", "the connection to %s was closed here", c.path))
}

// Ended is closed when the connection has ended, from whichever side.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Call makes one request by its method and waits for the answer, which is decoded into result unless that is nil. A context that ends
// gives kind Interrupted and leaves the request running, except for a step, run or rewind: that is paused, and the status says where.
func (c *Client) Call(ctx context.Context, verb string, params, result any) error {
	if ctx.Err() != nil {
		if name := advances(params); name != "" && verb != string(VerbRewind) {
			return c.Call(context.WithoutCancel(ctx), string(VerbStatus), NameRequest{name}, result)
		}
		return interrupted(ctx, verb)
	}
	answers, err := c.send(verb, params)
	if err != nil {
		return err
	}
	select {
	case a := <-answers:
		return a.read(verb, result)
	case <-ctx.Done():
	}
	name := advances(params)
	if name == "" {
		return interrupted(ctx, verb)
	}
	return c.pause(name, answers, verb, result)
}

// advances names the session that a request advances or takes back; "" where it does neither.
func advances(params any) string {
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

// The host pauses within a chunk of 100 ms, or one step where that is longer, or a program that is being compiled.
const (
	pauseAgain = 200 * time.Millisecond // at first; twice as long each time
	pauseLimit = 4 * time.Second
)

// pause pauses a session until the request that it works on is answered. A pause that overtakes its run finds nothing to pause, so it is
// sent again.
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
			return a.read(verb, result)
		case <-again.C:
			wait *= 2
			again.Reset(wait)
		case <-limit.C:
			return errs.New(errs.Interrupted, "ask for its status later", "session %q was told to pause and has not answered for %s", name,
				enough)
		}
	}
}

// send writes a request and returns where its one answer will arrive.
func (c *Client) send(verb string, params any) (<-chan message[json.RawMessage], error) {
	answers := make(chan message[json.RawMessage], 1) // an answer that nobody waits for any more does not block the reader
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
	case written == 0 && errors.Is(err, os.ErrDeadlineExceeded): // it may go on, and the connection with it
		err = errs.New(errs.Unavailable, "ask again later", "nobody at %s has read a request for %s", c.path, c.limit)
		fallthrough
	case errs.Is(err, errs.Request):
		c.taken(id)
		return nil, err
	case !errors.Is(err, syscall.EPIPE): // where the peer has hung up, what it said last is still to be read
		c.loseTo(err)
	}
	return answers, nil
}

// taken gives out who waits for the answer to a request, once.
func (c *Client) taken(id int64) chan<- message[json.RawMessage] {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.waiting[id]
	delete(c.waiting, id)
	return to
}

// read gives every line to the goroutine that waits for it, until the connection ends.
func (c *Client) read() {
	lines := bufio.NewReader(c.conn)
	var farewell *errs.Error // such as that there are too many clients
	for {
		line, err := readLine(lines, math.MaxInt)
		if err != nil && farewell != nil && farewell.Kind == errs.Unavailable {
			c.lose(farewell)
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
			c.put(m.Params)
		case m.Method == "" && json.Unmarshal(m.ID, &id) == nil && id > 0:
			if to := c.taken(id); to != nil {
				to <- m
			}
		case m.Error != nil: // of no request in particular
			farewell = m.Error.fault()
		}
	}
}

// read decodes the answer to a verb.
func (m message[T]) read(verb string, result any) error {
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

func (c *Client) loseTo(err error) {
	c.lose(errs.Wrap(err, errs.Unavailable,
		"its process ended or was killed: open the session again, and restart the kernel if that does not help", "the connection to %s was lost",
		c.path))
}

// lose ends the connection once and answers every call in progress with the reason.
func (c *Client) lose(reason *errs.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return
	}
	c.lost = reason
	c.conn.Close() //nolint:errcheck // it is gone either way
	close(c.ended) // first: a goroutine that gets an answer then sees that the connection has ended
	for _, to := range c.waiting {
		to <- message[json.RawMessage]{Error: newError(codeFault, reason)}
	}
	c.waiting = nil
}

func interrupted(ctx context.Context, doing string) *errs.Error {
	return errs.Wrap(context.Cause(ctx), errs.Interrupted, "", "%s was interrupted", doing)
}

// Watch implements [Caller].
func (c *Client) Watch(ctx context.Context, request WatchRequest, tell func(Update)) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the caller ended it
	}
	box := &mailbox{news: make(chan struct{}, 1)}
	request.Watch = c.open(box)
	defer c.shut(request.Watch)
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
			answers = nil // updates tell the rest
		case <-box.news:
			c.mu.Lock()
			update, there, failure := box.take()
			c.mu.Unlock()
			if there {
				tell(update)
			}
			if failure != nil || there && update.Status.State == Closed {
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

// unwatch waits for the answer to watch, which the end of the watch must not overtake.
func (c *Client) unwatch(number int64, answers <-chan message[json.RawMessage]) {
	if answers != nil {
		<-answers
	}
	c.send(string(verbUnwatch), unwatchRequest{number}) //nolint:errcheck // where the connection is lost, so is the watch
}

// mailbox is where the updates of one watch arrive, guarded by the client's mutex: the reader of the connection waits for nobody.
type mailbox struct {
	news    chan struct{}
	update  Update
	there   bool
	failure error
}

func (b *mailbox) take() (update Update, there bool, failure error) {
	update, there, failure = b.update, b.there, b.failure
	b.update, b.there = Update{}, false
	return update, there, failure
}

func (c *Client) open(box *mailbox) (number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++ // no number is used twice
	c.watches[c.last] = box
	return c.last
}

func (c *Client) shut(number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, number)
}

// put takes in a notification. One that cannot be read, or whose watch has ended, is of nobody.
func (c *Client) put(params json.RawMessage) {
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
		if box.there {
			box.update = p.Update.after(box.update)
		} else {
			box.update, box.there = *p.Update, true
		}
	}
	if p.Error != nil {
		box.failure = p.Error
	}
	select {
	case box.news <- struct{}{}:
	default:
	}
}
