package wire

import (
	"sync"
	"sync/atomic"

	"github.com/go-zeromq/zmq4"
)

// Router is a bound socket that takes messages from any client and answers each: shell, control, stdin.
type Router struct {
	codec    Codec
	listener *listener
	messages chan Message
	dropped  *atomic.Int64
	done     chan struct{}

	mu    sync.Mutex
	peers map[string]*link // by identity
}

func newRouter(c Connection, port int, codec Codec, dropped *atomic.Int64) (*Router, error) {
	r := &Router{codec: codec, messages: make(chan Message, 16), dropped: dropped, done: make(chan struct{}), peers: map[string]*link{}}
	var err error
	r.listener, err = listen(c, port, zmq4.Router, r.serve)
	return r, err
}

// Messages gives what arrives and is rightly signed; it is closed with the socket.
func (r *Router) Messages() <-chan Message { return r.messages }

// Send sends a message to the peer that its first identity names. A peer that has gone is not an error: nobody waits for the answer.
func (r *Router) Send(m Message) {
	if len(m.Identities) == 0 {
		return
	}
	r.sendFrames(string(m.Identities[0]), r.codec.Encode(Message{
		Identities: m.Identities[1:], Header: m.Header, RawHeader: m.RawHeader, Parent: m.Parent, Metadata: m.Metadata, Content: m.Content, Buffers: m.Buffers,
	}))
}

func (r *Router) sendFrames(identity string, frames [][]byte) {
	r.mu.Lock()
	peer := r.peers[identity]
	r.mu.Unlock()
	if peer != nil {
		peer.send(frames) //nolint:errcheck // its link closes itself
	}
}

func (r *Router) serve(l *link) {
	identity := r.join(l)
	defer r.leave(identity, l)
	for {
		frames, err := l.receive()
		if err != nil {
			return
		}
		m, err := r.codec.Decode(frames)
		if err != nil {
			r.dropped.Add(1)
			continue
		}
		m.Identities = append([][]byte{[]byte(identity)}, m.Identities...)
		select {
		case r.messages <- m:
		case <-r.done:
			return
		}
	}
}

// join registers a peer. One that names itself as a connected one does replaces it, as after a reconnection; one without a name
// gets one.
func (r *Router) join(l *link) string {
	identity := l.identity()
	if identity == "" {
		identity = NewID()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[identity] = l
	return identity
}

func (r *Router) leave(identity string, l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.peers[identity] == l {
		delete(r.peers, identity)
	}
}

func (r *Router) close() {
	close(r.done)
	r.listener.close()
	close(r.messages)
}

// heartbeat sends every message back to its sender.
type heartbeat struct{ listener *listener }

func newHeartbeat(c Connection, port int) (*heartbeat, error) {
	l, err := listen(c, port, zmq4.Router, func(l *link) {
		for {
			frames, err := l.receive()
			if err != nil || l.send(frames) != nil {
				return
			}
		}
	})
	return &heartbeat{l}, err
}
