package jupyter

import (
	"maps"
	"slices"
	"sync"

	"github.com/go-zeromq/zmq4"
)

// Router is a bound socket that takes messages from any client and answers each: shell, control, stdin.
type Router struct {
	name     string
	codec    Codec
	listener *listener
	messages chan Message
	history  *replays
	refused  *refused
	done     chan struct{}

	mu    sync.Mutex
	peers map[string][]*outbox // by identity, the latest last
}

func (s *Server) newRouter(name string, port int) (*Router, error) {
	r := &Router{
		name: name, codec: s.codec, messages: make(chan Message, 16), history: s.history, refused: &s.refused,
		done: make(chan struct{}), peers: map[string][]*outbox{},
	}
	var err error
	r.listener, err = listen(s.connection, port, zmq4.Router, r.serve)
	return r, err
}

// Messages gives what arrives and is rightly signed; it is closed with the socket.
func (r *Router) Messages() <-chan Message { return r.messages }

// Send sends a reply by the connection that its request came by, where that was one of this socket's, or else to the peer that its first
// identity names. A peer that has gone is not an error: nobody waits for the answer. Send does not wait either: a peer that asks and asks
// and does not take the answers loses its connection.
func (r *Router) Send(m Message) {
	if len(m.Identities) == 0 {
		return
	}
	if peer := r.peer(m); peer != nil {
		m.Identities = m.Identities[1:]
		if !peer.post(r.codec.Encode(m)) {
			peer.link.close()
		}
	}
}

// peer finds a message's connection. Clients that share one session have one identity; all of them are answered.
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
		if err == nil && r.codec.signed() && !r.history.add(m.signature) {
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

// join registers a peer. One without a name gets one.
func (r *Router) join(peer *outbox) string {
	identity := peer.link.identity()
	if identity == "" {
		identity = NewID()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[identity] = append(r.peers[identity], peer)
	return identity
}

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

// echo sends every message back to its sender, which is the heartbeat.
func echo(l *link) {
	for {
		frames, err := l.receive()
		if err != nil || l.send(frames) != nil {
			return
		}
	}
}
