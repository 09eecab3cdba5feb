package jupyter

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// Server holds the five sockets that a kernel listens on.
type Server struct {
	Shell, Control, Stdin *Router
	IOPub                 *Publisher

	connection Connection
	codec      Codec
	heartbeat  *listener
	history    *replays
	refused    refusals
	closing    sync.Once
}

// Options are the options of Listen. Each has a useful zero value.
type Options struct {
	Session string // session of the server's messages, the welcomes on iopub
	Paced   bool   // [Publisher.Pace] stays below the rate that Jupyter Server allows
	// Log gets a line about rejected messages at most every ten seconds. Nil
	// means slog.Default.
	Log *slog.Logger
}

// Listen opens a kernel's sockets and serves them in the background. The caller
// must close the server. The error is of kind Failed, for instance if a port is
// taken.
func Listen(c Connection, o Options) (*Server, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	s := &Server{connection: c, codec: NewCodec(c.Key), history: newReplays(replayLength), refused: refusals{log: o.Log}}
	if err := s.open(o); err != nil {
		s.Close()
		return nil, err
	}
	if !s.codec.isSigned() {
		o.Log.Warn("the connection file has no key: whoever reaches its ports can run programs as this user")
	}
	return s, nil
}

// open opens the five sockets. If it fails, the sockets that it didn't reach
// are nil.
func (s *Server) open(o Options) error {
	for _, r := range []struct {
		to   **Router
		name string
		port int
	}{
		{&s.Shell, "shell", s.connection.ShellPort},
		{&s.Control, "control", s.connection.ControlPort},
		{&s.Stdin, "stdin", s.connection.StdinPort},
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
	s.heartbeat, err = listen(s.connection, s.connection.HeartbeatPort, routerSocket, echo)
	return err
}

// Close closes all sockets after sending outstanding messages to the peers that
// still read. It takes closeLimit at most. You may call it more than once.
func (s *Server) Close() { s.closing.Do(s.close) }

// close does the work of Close. Sockets that weren't opened are nil.
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

// listener accepts connections of one kind of socket, [system.MostConnections]
// at a time. Each handshake has its own goroutine, so that a silent peer
// doesn't hold up the others.
type listener struct {
	end   context.CancelFunc
	ended chan struct{} // closed when all connections have ended
}

// listen opens a socket. For each peer that completes the handshake, it calls
// serve in a new goroutine. The connection ends when serve returns.
func listen(c Connection, port int, kind socketType, serve func(*link)) (*listener, error) {
	network, address := c.endpoint(port)
	if network == "unix" {
		if err := system.RemoveDeadSocket(address); err != nil {
			return nil, errs.With(err, errs.Failed, "name another path in the connection file")
		}
	}

	nl, err := new(net.ListenConfig).Listen(context.Background(), network, address)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "another process has taken the port: start the kernel again", "cannot listen")
	}

	if network == "unix" {
		if err := os.Chmod(address, 0o600); err != nil {
			nl.Close()
			return nil, errs.Wrap(err, errs.Failed, "use another directory", "the socket %s cannot be made private", address)
		}
	}

	ctx, end := context.WithCancel(context.Background())
	l := &listener{end: end, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		system.Accept(ctx, nl, func(_ context.Context, conn net.Conn) { //nolint:errcheck // it ends with its server
			link, err := openLink(conn, kind, "")
			if err != nil {
				return // not a ZeroMQ peer, or one of the wrong kind
			}
			defer link.close()
			serve(link)
		}, func(net.Conn) {})
	}()
	return l, nil
}

// close ends every connection and waits for their goroutines.
func (l *listener) close() {
	l.end()
	<-l.ended
}

// Router is a bound socket that receives messages from any client and answers
// each of them. Shell, control and stdin are routers.
type Router struct {
	name     string
	codec    Codec
	listener *listener
	messages chan Message
	history  *replays
	refused  *refusals
	done     chan struct{}

	mu    sync.Mutex
	peers map[string][]*outbox // by identity, latest last
}

// newRouter opens a socket of the server and receives its messages in the
// background.
func (s *Server) newRouter(name string, port int) (*Router, error) {
	r := &Router{
		name: name, codec: s.codec, messages: make(chan Message, 16), history: s.history, refused: &s.refused,
		done: make(chan struct{}), peers: map[string][]*outbox{},
	}
	var err error
	r.listener, err = listen(s.connection, port, routerSocket, r.serve)
	return r, err
}

// Messages returns the correctly signed messages that arrive. The channel is
// closed with the socket.
func (r *Router) Messages() <-chan Message { return r.messages }

// Send sends a reply over the connection of its request, if that belongs to
// this socket, and otherwise to the peer that the first identity names. It is
// no error if the peer is gone. Send never waits. A peer that keeps asking
// without reading the answers loses its connection.
func (r *Router) Send(m Message) {
	if len(m.Identities) == 0 {
		return
	}
	if peer := r.peer(m); peer != nil {
		m.Identities = m.Identities[1:]
		if !peer.enqueue(r.codec.Encode(m)) {
			peer.link.close()
		}
	}
}

// peer returns the connection that m came from. If m came from another socket,
// it returns the latest connection of its first identity, or nil if the peer is
// gone. Clients that share a session share an identity, but each gets its own
// answers.
func (r *Router) peer(m Message) *outbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	peers := r.peers[string(m.Identities[0])]
	if slices.Contains(peers, m.via) {
		return m.via
	}
	if len(peers) == 0 {
		return nil
	}
	return peers[len(peers)-1]
}

// serve receives the messages of one peer until its connection ends. It rejects
// messages that are malformed, wrongly signed or repeated.
func (r *Router) serve(l *link) {
	peer := newOutbox(l)
	defer peer.abandon()
	identity := r.join(peer)
	defer r.leave(identity, peer)
	for {
		frames, err := l.receive()
		if err != nil {
			return
		}
		m, err := r.codec.Decode(frames)

		if err == nil && r.codec.isSigned() && !r.history.add(m.signature) {
			err = ErrReplay
		}
		if err != nil {
			r.refused.add(r.name, err)
			continue
		}

		m.Identities, m.via = append([][]byte{[]byte(identity)}, m.Identities...), peer
		select {
		case r.messages <- m:
		case <-r.done:
			return
		}
	}
}

// join registers a peer and returns its identity. If the peer hasn't named one,
// join makes one up.
func (r *Router) join(peer *outbox) string {
	identity := peer.link.identity
	if identity == "" {
		identity = NewID()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[identity] = append(r.peers[identity], peer)
	return identity
}

// leave removes a peer after its connection has ended.
func (r *Router) leave(identity string, peer *outbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[identity] = slices.DeleteFunc(r.peers[identity], func(other *outbox) bool { return other == peer })
	if len(r.peers[identity]) == 0 {
		delete(r.peers, identity)
	}
}

func (r *Router) outboxes() []*outbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Values(r.peers))...)
}

func (r *Router) close() {
	close(r.done)
	r.listener.close()
	close(r.messages)
}

// echo is the heartbeat: it sends every message back to its sender.
func echo(l *link) {
	for {
		frames, err := l.receive()
		if err != nil || l.send(frames) != nil {
			return
		}
	}
}
