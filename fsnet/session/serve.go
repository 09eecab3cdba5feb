package session

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

const (
	// maxLine limits the size of a request in bytes. The largest legitimate
	// request to a host names the covariates of a table.
	maxLine = 1 << 20
	// writeLimit limits how long a peer may leave a line unread.
	writeLimit = 10 * time.Second
	// concurrency is the number of requests that one connection may have in
	// progress. Runs block, and a pause must be able to overtake any number
	// of them.
	concurrency = 1024
	// maxWatches is the number of watches that one connection may have at a
	// time.
	maxWatches = 256
)

// Handlers maps verbs to the functions that answer them. [Handle] adds one.
type Handlers map[string]func(ctx context.Context, params any) (result any, err error)

// Handle registers a function for a verb and replaces an earlier one. A call
// in the same process passes a P. Parameters from a connection are decoded
// strictly. All errors become *errs.Error, or errors of the protocol.
func Handle[P, R any](h Handlers, verb Verb[P, R], answer func(context.Context, P) (R, error)) {
	h[string(verb)] = func(ctx context.Context, params any) (any, error) {
		p, typed := params.(P)
		if !typed {
			if err := decode(params.(json.RawMessage), &p); err != nil {
				return nil, newError(codeBadParams, err)
			}
		}
		result, err := answer(ctx, p)
		if err != nil {
			return nil, errs.Of(err)
		}
		return result, nil
	}
}

// Call answers a verb in the same process, as described at [Caller]. If the
// verb is unknown, the error is of kind Request.
func (h Handlers) Call(ctx context.Context, verb string, params, result any) error {
	answer := h[verb]
	if answer == nil {
		return h.unknownVerb(verb)
	}
	value, err := answer(ctx, params)
	if err == nil && result != nil {
		reflect.ValueOf(result).Elem().Set(reflect.ValueOf(value))
	}
	return err
}

// unknownVerb returns the error for a verb without a function. It suggests the
// nearest one.
func (h Handlers) unknownVerb(verb string) *errs.Error {
	return errs.New(errs.Request, phrase.DidYouMean(verb, slices.Sorted(maps.Keys(h))), "the method %.100q is not known", verb)
}

// Server answers the requests of connections. A verb that advances a session
// continues without its connection, so killing a cell does not stop its run.
// The watches of a connection end with it. A client that leaves answers
// unread, or sends too long a line, is disconnected. Batches and requests
// without an ID are rejected.
type Server struct {
	Verbs Handlers
	Watch func(ctx context.Context, request WatchRequest, tell func(Update)) error
	// Other answers the methods that are not in Verbs, with JSON in and out. If
	// it is nil, the server rejects them.
	Other   func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	MaxLine int // Size of a request in bytes. 0 means 1 MiB.
	// Guard calls work and converts a panic to an error. doing describes the
	// work, for the message.
	Guard func(doing string, work func() error) error
}

// Serve answers the requests of a connection until it ends, and returns when
// all are answered. When ctx ends, verbs that advance a session end, too.
func (s Server) Serve(ctx context.Context, conn Conn) {
	var working sync.WaitGroup
	defer working.Wait()
	connected, hangUp := context.WithCancel(ctx)
	defer hangUp()

	c := &serverConn{Server: s, endpoint: endpoint{conn: conn, limit: writeLimit}, life: ctx, connected: connected, working: &working,
		stops: map[int64]context.CancelFunc{}}
	c.Verbs = Handlers{}
	maps.Copy(c.Verbs, s.Verbs)
	Handle(c.Verbs, verbWatch, c.watch)
	Handle(c.Verbs, verbUnwatch, c.unwatch)
	Handle(c.Verbs, VerbPing, func(context.Context, None) (None, error) { return None{}, nil })

	places := make(chan struct{}, concurrency)
	for lines := bufio.NewReaderSize(conn, 1<<16); ; {
		line, err := readLine(lines, cmp.Or(s.MaxLine, maxLine))
		if err != nil {
			return
		}
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			c.answer(line)
		})
	}
}

// Refuse sends a client the reason why it is not served. The caller must close
// the connection.
func Refuse(conn Conn, why *errs.Error) {
	c := serverConn{endpoint: endpoint{conn: conn, limit: writeLimit}}
	c.send(message[any]{ID: noID(), Error: newError(codeFault, why)})
}

// noID returns the ID of an answer to a request without a readable ID.
func noID() json.RawMessage { return json.RawMessage("null") }

// serverConn is a connection being served.
type serverConn struct {
	Server
	endpoint
	life, connected context.Context //nolint:containedctx // of the service, and of the connection
	working         *sync.WaitGroup

	watches sync.Mutex
	stops   map[int64]context.CancelFunc // functions that end the watches, by the client's numbers
}

// parse parses a request. The request must have an ID. JSON-RPC allows
// requests without one, but a client that waits for the answer would wait
// for ever. problem is nil if the request is valid.
func parse(line []byte) (r message[json.RawMessage], problem *wireError) {
	invalid := func(what string) *wireError {
		return newError(codeInvalid, errs.New(errs.Request, "send one object a line", "%s", what))
	}

	err := json.Unmarshal(line, &r)
	if mistyped := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistyped) {
		return r, invalid(fmt.Sprintf("%s is not a request", mistyped.Value))
	}

	switch {
	case err != nil:
		return r, newError(codeParse, errs.New(errs.Request, "send one object a line", "not JSON in one line"))
	case r.Version != "2.0" || r.Method == "":
		return r, invalid("a request without method or jsonrpc 2.0")
	case len(r.ID) == 0 || !bytes.ContainsAny(r.ID[:1], `"-0123456789`):
		return r, invalid("a request without id")
	case len(r.Params) > 0 && !bytes.ContainsAny(r.Params[:1], "{[n"):
		return r, invalid("parameters that are not an object")
	}
	return r, nil
}

// answer answers one request, given as a line. A panic fails only this request.
// If the method is unknown, the error suggests the nearest one. A verb that
// moves a training continues even if the connection ends.
func (c *serverConn) answer(line []byte) {
	r, problem := parse(line)
	if problem != nil {
		c.send(message[any]{ID: noID(), Error: problem})
		return
	}

	ctx := c.connected
	switch r.Method {
	case string(VerbOpen), string(VerbClose), string(VerbStep), string(VerbRun), string(VerbRewind), string(VerbFork):
		ctx = c.life
	}

	a := message[any]{ID: r.ID}
	err := c.Guard(r.Method, func() (err error) {
		switch handle := c.Verbs[r.Method]; {
		case handle != nil:
			a.Result, err = handle(ctx, r.Params)
		case c.Other != nil:
			a.Result, err = c.Other(ctx, r.Method, r.Params)
		default:
			err = newError(codeUnknownMethod, c.Verbs.unknownVerb(r.Method))
		}
		return err
	})

	if err != nil {
		if a.Result = nil; !errors.As(err, &a.Error) {
			a.Error = newError(codeFault, errs.Of(err))
		}
	}

	c.send(a)
}

// send sends a line. If it cannot encode the message, it sends an error
// instead. If it cannot write, it closes the connection, because it may have
// written half a line.
func (c *serverConn) send(m message[any]) {
	_, err := c.write(m)
	if err != nil && errs.Is(err, errs.Request) {
		m.Result, m.Error = nil, newError(codeFault, errs.New(errs.Failed,
			"open the session again with replace=true, perhaps with a smaller learning_rate", "the answer is not finite: %s", errs.Of(err).What))
		_, err = c.write(m)
	}
	if err != nil {
		c.conn.Close() //nolint:errcheck // it is gone either way
	}
}

// watch starts a watch. It answers when the first update or an error arrives.
// The watch continues until the client sends unwatch, or until the session or
// the connection ends.
func (c *serverConn) watch(_ context.Context, p WatchRequest) (watching, error) {
	ctx, err := c.beginWatch(p.Watch)
	if err != nil {
		return watching{}, err
	}

	first, failed := make(chan Status, 1), make(chan error, 1)
	c.working.Go(func() {
		defer c.endWatch(p.Watch)
		begun := false
		err := c.Guard(fmt.Sprintf("the watch of session %q", p.Session), func() error {
			return c.Watch(ctx, p, func(u Update) {
				if !begun {
					begun = true
					first <- u.Status
				}
				if ctx.Err() == nil {
					c.send(message[any]{Method: "update", Params: notice{Watch: p.Watch, Update: &u}})
				}
			})
		})
		switch {
		case !begun:
			failed <- err
		case err != nil && ctx.Err() == nil:
			c.send(message[any]{Method: "update", Params: notice{Watch: p.Watch, Error: errs.Of(err)}})
		}
	})

	select {
	case status := <-first:
		return watching{Watch: p.Watch, Status: status}, nil
	case err := <-failed:
		if err == nil {
			err = errs.New(errs.Interrupted, "", "the watch of session %q ended before it began", p.Session)
		}
		return watching{}, err
	case <-c.connected.Done(): // the connection has ended
		return watching{}, interruptedError(c.connected, fmt.Sprintf("waiting for session %q", p.Session))
	}
}

// beginWatch registers a watch under the client's number and returns its
// context. It returns an error if the number is in use, if there are too
// many watches, or if the connection is ending.
func (c *serverConn) beginWatch(number int64) (context.Context, error) {
	c.watches.Lock()
	defer c.watches.Unlock()
	switch {
	case c.stops[number] != nil:
		return nil, errs.New(errs.Request, "give each watch of a connection another number", "watch = %d is in use", number)
	case len(c.stops) >= maxWatches:
		return nil, errs.New(errs.Request, "end one with unwatch", "%d watches are on this connection, the most there can be", maxWatches)
	case c.connected.Err() != nil:
		return nil, errs.New(errs.Unavailable, "start it again", "the host is ending")
	}
	ctx, cancel := context.WithCancel(c.connected)
	c.stops[number] = cancel
	return ctx, nil
}

// endWatch frees the number of a watch that has ended.
func (c *serverConn) endWatch(number int64) {
	c.watches.Lock()
	defer c.watches.Unlock()
	c.stops[number]()
	delete(c.stops, number)
}

// unwatch cancels a watch. The goroutine of the watch then calls endWatch.
// An unknown number is not an error.
func (c *serverConn) unwatch(_ context.Context, p unwatchRequest) (None, error) {
	c.watches.Lock()
	defer c.watches.Unlock()
	if stop := c.stops[p.Watch]; stop != nil {
		stop()
	}
	return None{}, nil
}

// decode decodes parameters strictly. It rejects unknown parameters, because
// you would not notice a misspelt key otherwise.
func decode(params json.RawMessage, into any) *errs.Error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	decoder := json.NewDecoder(bytes.NewReader(params))

	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)

	if err == nil {
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return errs.New(errs.Request, "send one object", "something follows the parameters")
		}
		return nil
	}

	if mistyped := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistyped) {
		return errs.New(errs.Request, "give "+typeInWords(mistyped.Type), "%s is %s", cmp.Or(mistyped.Field, "params"), mistyped.Value)
	}
	// encoding/json has no type for this error.
	if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		known := fields(reflect.TypeOf(into).Elem())
		return errs.New(errs.Request, phrase.DidYouMean(strings.Trim(quoted, `"`), known), "the parameter %.100s is not known", quoted)
	}
	return errs.Wrap(err, errs.Request, "send one JSON object", "the parameters cannot be read")
}

// fields lists the JSON names in a struct of parameters, including nested
// ones.
func fields(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
		part := f.Type
		if part.Kind() == reflect.Pointer {
			part = part.Elem()
		}
		if part.Kind() == reflect.Struct {
			names = append(names, fields(part)...)
		}
	}
	return names
}

// typeInWords names the JSON type for a Go type, with its article, for
// errors.
func typeInWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeInWords(t.Elem())
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a text"
	}
}
