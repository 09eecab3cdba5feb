package wire

import "sync/atomic"

// Server is the five sockets that a kernel listens with.
type Server struct {
	Shell, Control, Stdin *Router
	IOPub                 *Publisher

	connection Connection
	heartbeat  *heartbeat
	dropped    atomic.Int64
}

// Listen opens a kernel's sockets. The caller closes the server.
func Listen(c Connection) (*Server, error) {
	codec := NewCodec(c.Key)
	s := &Server{connection: c}
	err := s.open(c, codec)
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) open(c Connection, codec Codec) error {
	for _, r := range []struct {
		to   **Router
		port int
	}{{&s.Shell, c.ShellPort}, {&s.Control, c.ControlPort}, {&s.Stdin, c.StdinPort}} {
		router, err := newRouter(c, r.port, codec, &s.dropped)
		if err != nil {
			return err
		}
		*r.to = router
	}
	iopub, err := newPublisher(c, codec)
	if err != nil {
		return err
	}
	s.IOPub = iopub
	heartbeat, err := newHeartbeat(c, c.HeartbeatPort)
	if err != nil {
		return err
	}
	s.heartbeat = heartbeat
	return nil
}

// Dropped is how many arrivals were not messages or wrongly signed.
func (s *Server) Dropped() int64 { return s.dropped.Load() }

// Close ends all sockets, after what was published has been sent.
func (s *Server) Close() {
	if s.IOPub != nil {
		s.IOPub.close()
	}
	for _, r := range []*Router{s.Shell, s.Control, s.Stdin} {
		if r != nil {
			r.close()
		}
	}
	if s.heartbeat != nil {
		s.heartbeat.listener.close()
	}
}
