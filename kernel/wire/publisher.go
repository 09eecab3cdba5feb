package wire

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// queueLength is how many messages wait for a subscriber that is slower than the kernel. When it is full, publishing waits: for no
// longer than a link's write limit, after which the subscriber is given up.
const queueLength = 4096

// Publisher is the bound socket that everybody listens to: iopub.
type Publisher struct {
	codec    Codec
	session  string // of the welcomes
	listener *listener
	done     chan struct{}

	mu          sync.Mutex // also keeps the messages of all subscribers in one order
	subscribers map[*subscriber]bool
}

type subscriber struct {
	queue   chan [][]byte
	gone    chan struct{} // closed when its link has ended
	written chan struct{} // closed when its writer has

	mu     sync.Mutex
	topics map[string]int // how often each was subscribed
	bytes  int            // of topics
}

func newPublisher(c Connection, codec Codec, session string) (*Publisher, error) {
	p := &Publisher{codec: codec, session: session, done: make(chan struct{}), subscribers: map[*subscriber]bool{}}
	var err error
	p.listener, err = listen(c, c.IOPubPort, zmq4.Pub, p.serve)
	return p, err
}

// Publish sends a message to all subscribers, under its type as the topic.
func (p *Publisher) Publish(m Message) {
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	frames := p.codec.Encode(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.subscribers {
		if !s.wants(m.Header.Type) {
			continue
		}
		select {
		case s.queue <- frames:
		case <-s.gone:
		}
	}
}

func (p *Publisher) serve(l *link) {
	s := &subscriber{queue: make(chan [][]byte, queueLength), gone: make(chan struct{}), written: make(chan struct{}), topics: map[string]int{}}
	p.mu.Lock()
	p.subscribers[s] = true
	p.mu.Unlock()
	go func() {
		defer close(s.written)
		s.write(l, p.done)
	}()
	for {
		frames, err := l.receive()
		if err != nil {
			break
		}
		if topic, ok := s.subscribe(frames); ok {
			p.welcome(s, topic)
		}
	}
	close(s.gone)
	p.mu.Lock()
	delete(p.subscribers, s)
	p.mu.Unlock()
	l.close()
	<-s.written
}

// write sends what is queued, and on closing what is left of it.
func (s *subscriber) write(l *link, done <-chan struct{}) {
	for {
		select {
		case frames := <-s.queue:
			if l.send(frames) != nil {
				return
			}
		case <-s.gone:
			return
		case <-done:
			for {
				select {
				case frames := <-s.queue:
					if l.send(frames) != nil {
						return
					}
				default:
					l.close()
					return
				}
			}
		}
	}
}

// welcome tells a subscriber that it is one: what is published from now on reaches it. A front end need not ask until it hears something.
func (p *Publisher) welcome(s *subscriber, topic string) {
	m := NewMessage(p.session, "iopub_welcome", map[string]string{"subscription": topic})
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	if !strings.HasPrefix(m.Header.Type, topic) {
		m.Identities[0] = []byte(topic) // what it does not begin with is not passed on to the subscriber
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case s.queue <- p.codec.Encode(m):
	default: // one that subscribes without reading needs no welcome
	}
}

// longestTopics bounds what one subscriber makes the kernel remember.
const longestTopics = 1 << 16

// subscribe reads a subscription: one frame, 1 or 0 and the topic. ok tells that it was one.
func (s *subscriber) subscribe(frames [][]byte) (topic string, ok bool) {
	if len(frames) != 1 || len(frames[0]) == 0 {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	topic = string(frames[0][1:])
	switch frames[0][0] {
	case 1:
		if _, known := s.topics[topic]; !known {
			if s.bytes+len(topic)+frameCost > longestTopics {
				return "", false
			}
			s.bytes += len(topic) + frameCost
		}
		s.topics[topic]++
		return topic, true
	case 0:
		if n, known := s.topics[topic]; known && n <= 1 {
			delete(s.topics, topic)
			s.bytes -= len(topic) + frameCost
		} else if known {
			s.topics[topic]--
		}
	}
	return "", false
}

func (s *subscriber) wants(topic string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.topics {
		if strings.HasPrefix(topic, t) {
			return true
		}
	}
	return false
}

// close sends what is still queued, for a second at most, then ends.
func (p *Publisher) close() {
	close(p.done)
	limit := time.After(time.Second)
	for _, s := range p.all() {
		select {
		case <-s.written:
		case <-limit:
		}
	}
	p.listener.close()
}

func (p *Publisher) all() []*subscriber {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.subscribers))
}
