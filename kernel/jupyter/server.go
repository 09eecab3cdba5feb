package jupyter

import (
	"cmp"
	"log/slog"
	"sync"

	"github.com/go-zeromq/zmq4"
)

// Server is the five sockets that a kernel listens with.
type Server struct {
	Shell, Control, Stdin *Router
	IOPub                 *Publisher

	connection Connection
	codec      Codec
	heartbeat  *listener
	history    *replays
	refused    refused
	closing    sync.Once
}

// Options for Listen. Zero values: see each.
type Options struct {
	Session string       // of the messages that the server itself sends, the welcomes on iopub
	Log     *slog.Logger // gets a line when arrivals were refused, at most one in ten seconds; nil is the default one
}

// Listen opens a kernel's sockets. The caller closes the server.
func Listen(c Connection, o Options) (*Server, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	s := &Server{connection: c, codec: NewCodec(c.Key), history: newReplays(replayLength), refused: refused{log: o.Log}}
	if err := s.open(o); err != nil {
		s.Close()
		return nil, err
	}
	if !s.codec.signed() {
		o.Log.Warn("the connection file has no key: whoever reaches its ports can run programs as this user")
	}
	return s, nil
}

func (s *Server) open(o Options) error {
	for _, r := range []struct {
		to   **Router
		name string
		port int
	}{
		{&s.Shell, "shell", s.connection.ShellPort}, {&s.Control, "control", s.connection.ControlPort}, {&s.Stdin, "stdin",
			s.connection.StdinPort},
	} {
		router, err := s.newRouter(r.name, r.port)
		if err != nil {
			return err
		}
		*r.to = router
	}
	iopub, err := newPublisher(s.connection, s.codec, o)
	if err != nil {
		return err
	}
	s.IOPub = iopub
	s.heartbeat, err = listen(s.connection, s.connection.HeartbeatPort, zmq4.Router, echo)
	return err
}

// Dropped is how many arrivals were not messages, wrongly signed, or the same as an earlier one.
func (s *Server) Dropped() int64 { return s.refused.count.Load() }

// Close ends all sockets, after what was published and answered has been sent to those who take it.
func (s *Server) Close() { s.closing.Do(s.close) }

func (s *Server) close() {
	var routers []*Router
	var waiting []*outbox
	for _, r := range []*Router{s.Shell, s.Control, s.Stdin} {
		if r != nil {
			routers, waiting = append(routers, r), append(waiting, r.outboxes()...)
		}
	}
	if s.IOPub != nil {
		waiting = append(waiting, s.IOPub.outboxes()...)
	}
	settle(waiting)
	if s.IOPub != nil {
		s.IOPub.listener.close()
	}
	for _, r := range routers {
		r.close()
	}
	if s.heartbeat != nil {
		s.heartbeat.close()
	}
}
