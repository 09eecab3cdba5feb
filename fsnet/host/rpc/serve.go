// Package rpc serves any session.Service over JSON-RPC 2.0 on a socket: one connection a client, its verbs, and what it watches.
//
// # Basics
//
//	listener, err := socket.Listen(path)
//	err = rpc.Serve(ctx, listener, service, rpc.ServeOptions{}) // until ctx ends
//
// [ServeOptions] add methods of one's own ([Handler]), as the kernel does for pictures. The methods and their parameters are those of
// fsnet/session.
//
// # Caveats
//
// A verb that advances a session outlives its connection: a cell that was killed does not stop its run. What the connection watched ends
// with it. A client that leaves its answers unread is disconnected, and so is one that sends a line of more than [MaxLine] bytes. Batches
// and requests without an id are refused.
package rpc

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/fault/boundary"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/accept"
	"fsnetlab/internal/suggest"
)

const (
	// MaxLine bounds a request to a host, in bytes. The largest honest one names a table's covariates.
	MaxLine = 1 << 20
	// writeLimit is how long a client may leave its answers unread before the host takes it for dead.
	writeLimit = 10 * time.Second
	// concurrency is how many requests of one connection are worked on at once. Runs block, and a pause must get past any number of them.
	concurrency = 1024
)

// A Handler answers a method with what becomes JSON. params is nil where a request has none.
type Handler func(ctx context.Context, params json.RawMessage) (result any, err error)

// ServeOptions configure Serve. The zero value serves the verbs alone.
type ServeOptions struct {
	// Extra methods by name, for a kernel's own. A verb's name takes the verb's place.
	Extra map[string]Handler
	// Connected, which may be nil, gives the context of all that a connection asks for, from one that lives as long as the service: what
	// its verbs are to know of who asks.
	Connected func(ctx context.Context, conn net.Conn) context.Context
	// MaxLine bounds a request, in bytes; 0 is [MaxLine].
	MaxLine int
}

// Serve answers the requests of every connection until the context ends; then it closes the listener and the connections and returns
// nil. There are at most [accept.Most] connections at a time: one more is told so and closed. Verbs that advance outlive their connection:
// a cell that was killed does not stop its run. They end with the context.
func Serve(ctx context.Context, listener net.Listener, service session.Service, options ServeOptions) error {
	err := accept.Serve(ctx, listener, func(ctx context.Context, conn net.Conn) { serveOne(ctx, conn, service, options) }, refuse)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "start it again", "no program can connect any more")
	}
	return nil
}

// refuse tells a client that there are too many.
func refuse(conn net.Conn) {
	err := fault.New(fault.Unavailable, "end programs that are connected, or share one connection among several sessions",
		"the socket %s has %d connections, the most it can have", conn.LocalAddr(), accept.Most)
	(&connection{conn: conn}).answer(answer{Error: newError(codeFault, err)})
}

func serveOne(ctx context.Context, conn net.Conn, service session.Service, options ServeOptions) {
	if options.Connected != nil {
		ctx = options.Connected(ctx, conn)
	}
	var working sync.WaitGroup
	defer working.Wait()
	asking, hangUp := context.WithCancel(ctx)
	defer hangUp()
	c := &connection{conn: conn}
	w := &watching{ctx: asking, service: service, notify: c.notify, working: &working, stops: map[int64]context.CancelFunc{}}
	handlers := methods(ctx, service)
	handlers["watch"], handlers["unwatch"] = method(w.watch), method(w.unwatch)
	maps.Copy(handlers, options.Extra)
	places := make(chan struct{}, concurrency)
	for lines := bufio.NewReaderSize(conn, 1<<16); ; {
		line, err := readLine(lines, cmp.Or(options.MaxLine, MaxLine))
		if err != nil {
			return
		}
		r, problem := parse(line)
		if problem != nil {
			c.answer(answer{Error: problem})
			continue
		}
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			c.answer(handlers.answer(asking, r))
		})
	}
}

// readLine returns the next line without its end. An unfinished one is no request.
func readLine(lines *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return nil, fmt.Errorf("the line is longer than %d bytes", most)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}

type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// parse reads a request with an id. JSON-RPC wants no answer to one without, but a client that waits would wait for ever.
func parse(line []byte) (r request, problem *rpcError) {
	refused := func(what string) *rpcError {
		return newError(codeInvalid, fault.New(fault.Request, "send one object a line", "%s", what))
	}
	err := json.Unmarshal(line, &r)
	if mistyped := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistyped) {
		return r, refused(fmt.Sprintf("%s is no request", mistyped.Value))
	}
	switch {
	case err != nil:
		return r, newError(codeParse, fault.New(fault.Request, "send one object a line", "not JSON in one line"))
	case r.Version != "2.0" || r.Method == "":
		return r, refused("a request without method or jsonrpc 2.0")
	case len(r.ID) == 0 || !bytes.ContainsAny(r.ID[:1], `"-0123456789`):
		return r, refused("a request without id")
	case len(r.Params) > 0 && !bytes.ContainsAny(r.Params[:1], "{[n"):
		return r, refused("parameters that are no object")
	}
	return r, nil
}

type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is an error of the protocol.
type rpcError struct {
	Code    int          `json:"code"`
	Message string       `json:"message"`
	Data    *fault.Error `json:"data"`
}

// Codes of JSON-RPC. A fault of a verb has the first code for servers.
const (
	codeFault         = -32000
	codeInvalid       = -32600
	codeUnknownMethod = -32601
	codeBadParams     = -32602
	codeParse         = -32700
)

func newError(code int, err *fault.Error) *rpcError {
	return &rpcError{Code: code, Message: err.Error(), Data: err}
}

func (e *rpcError) Error() string { return e.Message }

type handlers map[string]Handler

// answer calls the method of a request. A panic is the error of its request alone, and an unknown method is answered with the nearest.
func (h handlers) answer(ctx context.Context, r request) answer {
	a := answer{ID: r.ID}
	handle := h[r.Method]
	if handle == nil {
		a.Error = newError(codeUnknownMethod, fault.New(fault.Request, suggest.DidYouMean(r.Method, slices.Sorted(maps.Keys(h))),
			"the method %.100q is not known", r.Method))
		return a
	}
	err := boundary.Do(slog.Default(), r.Method, func() (err error) {
		a.Result, err = handle(ctx, r.Params)
		return err
	})
	if err != nil && !errors.As(err, &a.Error) {
		a.Error = newError(codeFault, fault.Of(err))
	}
	if err != nil {
		a.Result = nil
	}
	return a
}

// connection writes whole lines to a client.
type connection struct {
	conn net.Conn
	mu   sync.Mutex
}

func (c *connection) answer(a answer) {
	a.Version = "2.0"
	line, err := json.Marshal(a)
	if err != nil {
		a.Result, a.Error = nil, newError(codeFault, fault.Wrap(err, fault.Failed, "", "the answer cannot be written"))
		line, err = json.Marshal(a)
	}
	c.write(line, err)
}

func (c *connection) notify(p session.UpdateParams) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "update", "params": p})
	c.write(line, err)
}

// write writes a line, where there is no error. Where it cannot, the connection ends: half a line may have been written.
func (c *connection) write(line []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = c.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	}
	if err == nil {
		_, err = c.conn.Write(append(line, '\n'))
	}
	if err != nil {
		c.conn.Close() //nolint:errcheck // it is gone either way
	}
}
