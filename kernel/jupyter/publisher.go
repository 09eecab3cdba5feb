package jupyter

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

const (
	paceLook   = 2 * time.Millisecond // between two looks at how far behind subscribers are
	paceWindow = 3 * time.Second      // between two looks at how much they take, which goes by fits and starts
	leastTaken = 1_500_000            // bytes that one takes meanwhile who reads

	lateness     = 5 * time.Second // by which a connection to iopub may be made later than the one to shell beside it
	mostStatuses = 200             // kept for such a one
)

// Publisher is the bound socket that everybody listens to: iopub.
type Publisher struct {
	codec    Codec
	session  string // of the welcomes
	log      *slog.Logger
	listener *listener

	mu          sync.Mutex // also keeps the messages of all subscribers in one order
	subscribers map[*subscriber]bool
	statuses    []published // of the last while, oldest first
	rate        *rate       // nil: it is not limited
}

// published is a message that went out.
type published struct {
	at      time.Time
	message Message
}

type subscriber struct {
	box *outbox

	// Guarded by Publisher.mu.
	lost    int            // bytes of messages that did not fit
	watched time.Time      // when it was last looked at how much it takes
	taken   int64          // then
	slow    bool           // it does not read on
	topics  map[string]int // how often each was subscribed
	bytes   int            // of topics
	told    bool           // the statuses from before it came
}

func newPublisher(c Connection, codec Codec, o Options) (*Publisher, error) {
	p := &Publisher{codec: codec, session: o.Session, log: o.Log, subscribers: map[*subscriber]bool{}}
	if o.Paced {
		p.rate = &rate{}
	}
	var err error
	p.listener, err = listen(c, c.IOPubPort, zmq4.Pub, p.serve)
	return p, err
}

// Publish sends a message to all subscribers, under its type as the topic. It waits for none: one that is far behind loses the message,
// and its connection when it has lost as much as may wait for it.
func (p *Publisher) Publish(m Message) {
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	frames := p.codec.Encode(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Header.Type == "status" {
		p.remember(published{time.Now(), m})
	}
	p.count(m, frames)
	for s := range p.subscribers {
		switch {
		case !s.wants(m.Header.Type):
		case !s.box.post(frames):
			p.lose(s, cost(frames))
		case s.lost > 0 && !s.farBehind():
			s.lost = 0
		}
	}
}

// lose counts what a subscriber has lost. The caller holds the lock.
func (p *Publisher) lose(s *subscriber, cost int) {
	if s.lost == 0 {
		p.log.Warn("a reader of iopub loses messages until it catches up", "behind_mb", s.box.most/1_000_000)
	}
	if s.lost += cost; s.lost >= s.box.most {
		p.log.Warn("a reader of iopub that did not catch up lost its connection; it may connect again")
		delete(p.subscribers, s)
		s.box.link.close()
	}
}

// Pace waits until no subscriber that reads is far behind, so that it loses nothing of a flood, which is all that a cell prints, and until
// Jupyter Server passes it on. It is for the flood alone, and does not wait for long for a subscriber that takes next to nothing.
func (p *Publisher) Pace() {
	for p.runsAhead(time.Now()) || p.isTooFast(time.Now()) {
		time.Sleep(paceLook)
	}
}

// count counts a message as Jupyter Server does. The caller holds the lock.
func (p *Publisher) count(m Message, frames [][]byte) {
	if p.rate == nil {
		return
	}
	bytes := 0
	switch m.Header.Type {
	case "comm_open", "execute_input":
		return
	case "status":
		var status Status
		if m.Decode(&status) == nil && status.State == "idle" {
			*p.rate = rate{}
		}
		return
	case "stream":
		for _, f := range frames {
			bytes += len(f)
		}
	}
	p.rate.add(time.Now(), bytes)
}

// isTooFast reports whether Jupyter Server would drop what comes now.
func (p *Publisher) isTooFast(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate != nil && p.rate.exceeded(now)
}

// runsAhead reports whether some subscriber is to be waited for.
func (p *Publisher) runsAhead(now time.Time) (ahead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.subscribers {
		ahead = s.catchesUp(now) || ahead
	}
	return ahead
}

// catchesUp reports whether a subscriber is far behind, but reads on. The caller holds the publisher's lock.
func (s *subscriber) catchesUp(now time.Time) bool {
	if !s.farBehind() {
		s.watched = time.Time{}
		return false
	}
	if first := s.watched.IsZero(); first || now.Sub(s.watched) >= paceWindow {
		taken := s.box.taken()
		s.slow = !first && taken-s.taken < leastTaken
		s.watched, s.taken = now, taken
	}
	return !s.slow
}

func (s *subscriber) farBehind() bool { return s.box.behind() >= s.box.most/2 }

func (p *Publisher) serve(l *link) {
	s := &subscriber{box: newOutbox(l), topics: map[string]int{}}
	defer s.box.abandon()
	p.mu.Lock()
	p.subscribers[s] = true
	p.mu.Unlock()
	for {
		frames, err := l.receive()
		if err != nil {
			break
		}
		p.hear(s, frames)
	}
	p.mu.Lock()
	delete(p.subscribers, s)
	p.mu.Unlock()
}

// hear takes what a subscriber says. One that subscribes is welcomed, and told how the requests of just before ended, in messages of their
// own: one that comes back after its connection was cut may have had those that went out, and refuses what it has had.
func (p *Publisher) hear(s *subscriber, frames [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	topic, ok := s.subscribe(frames)
	if !ok {
		return
	}
	s.box.post(p.codec.Encode(p.welcome(topic))) // one that subscribes without reading needs no welcome
	if s.told || !s.wants("status") {
		return
	}
	s.told = true
	for _, status := range p.statuses {
		if time.Since(status.at) < lateness {
			s.box.post(p.codec.Encode(status.message.anew()))
		}
	}
}

// welcome tells a subscriber that it is one: what is published from now on reaches it. A front end need not ask until it hears something.
func (p *Publisher) welcome(topic string) Message {
	m := NewMessage(p.session, "iopub_welcome", map[string]string{"subscription": topic})
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	if !strings.HasPrefix(m.Header.Type, topic) {
		m.Identities[0] = []byte(topic) // what it does not begin with is not passed on to the subscriber
	}
	return m
}

// remember keeps a status for those who connect to iopub a moment after shell. Jupyter Server checks that messages of iopub arrive before
// it passes a page's requests on, but for a kernel that is busy, which it takes to answer none soon. This one does, and a page that has not
// heard that its question for kernel_info is done waits for it for good: a console that is opened beside a running cell had no subshell,
// one time in five. The caller holds the lock.
func (p *Publisher) remember(status published) {
	from := max(0, len(p.statuses)+1-mostStatuses)
	for from < len(p.statuses) && status.at.Sub(p.statuses[from].at) >= lateness {
		from++
	}
	p.statuses = append(slices.Delete(p.statuses, 0, from), status)
}

// longestTopics bounds what one subscriber makes the kernel remember.
const longestTopics = 1 << 16

// subscribe reads a subscription: one frame, 1 or 0 and the topic. ok tells that it was one. The caller holds the publisher's lock.
func (s *subscriber) subscribe(frames [][]byte) (topic string, ok bool) {
	if len(frames) != 1 || len(frames[0]) == 0 {
		return "", false
	}
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

// wants reports whether a subscriber takes messages of a type. The caller holds the publisher's lock.
func (s *subscriber) wants(topic string) bool {
	for t := range s.topics {
		if strings.HasPrefix(topic, t) {
			return true
		}
	}
	return false
}

func (p *Publisher) outboxes() []*outbox {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*outbox
	for s := range p.subscribers {
		list = append(list, s.box)
	}
	return list
}

const (
	// mostWaiting bounds what waits for one peer, in bytes.
	mostWaiting = 128_000_000
	// messageCost is what a message counts for besides its bytes, so that the bound is one on many small messages, too.
	messageCost = 2 << 10

	// A connection that closes sends what is left as long as its peer goes on taking it within closeGrace, and for closeLimit at most.
	closeGrace = time.Second
	closeLimit = 3 * time.Second
)

// outbox is what waits to be sent to one peer. Whoever posts a message never waits for the peer; sending is the work of a goroutine of
// its own.
type outbox struct {
	link *link
	most int           // that may wait; a message that begins below it is taken whole
	over chan struct{} // closed when nothing is sent any more

	mu      sync.Mutex
	news    *sync.Cond
	waiting [][][]byte
	cost    int   // of what waits and of what is being sent
	sent    int64 // messages
	ended   bool  // what waits is the last
}

// newOutbox begins to send. The caller ends it with abandon, also after settle.
func newOutbox(l *link) *outbox {
	o := &outbox{link: l, most: mostWaiting, over: make(chan struct{})}
	o.news = sync.NewCond(&o.mu)
	l.stream.writeLimit = 0 // nobody waits for it
	go o.send()
	return o
}

func cost(frames [][]byte) int {
	n := messageCost
	for _, f := range frames {
		n += len(f)
	}
	return n
}

// post leaves a message to be sent. It is false where too much waits already: the message is lost.
func (o *outbox) post(frames [][]byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return true // the peer has gone, or the socket is closing
	}
	if o.cost >= o.most {
		return false
	}
	o.waiting = append(o.waiting, frames)
	o.cost += cost(frames)
	o.news.Signal()
	return true
}

func (o *outbox) send() {
	defer close(o.over)
	for {
		batch := o.next()
		for i, frames := range batch {
			if frames == nil || o.link.send(frames) != nil {
				return
			}
			batch[i] = nil // what is sent takes no memory while the rest waits
			o.mu.Lock()
			o.cost -= cost(frames)
			o.sent++
			o.mu.Unlock()
		}
	}
}

// next waits for messages and takes all that there are; the last one is nil when no other will come.
func (o *outbox) next() [][][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) == 0 && !o.ended {
		o.news.Wait()
	}
	batch := o.waiting
	o.waiting = nil
	if o.ended {
		batch = append(batch, nil)
	}
	return batch
}

// behind is what waits.
func (o *outbox) behind() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.cost
}

// taken grows with all that the peer takes.
func (o *outbox) taken() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.link.stream.sent.Load() + o.sent*messageCost
}

func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.news.Signal()
}

// settle sends what is left, as long as the peer takes it.
func (o *outbox) settle() {
	o.end()
	for limit, before := time.Now().Add(closeLimit), int64(-1); before < o.taken() && time.Now().Before(limit); {
		before = o.taken()
		select {
		case <-o.over:
			return
		case <-time.After(closeGrace):
		}
	}
}

// abandon ends the connection and sends nothing more.
func (o *outbox) abandon() {
	o.end()
	o.link.close()
	<-o.over
}

// settle sends what is left for several peers, side by side: each has its own time.
func settle(boxes []*outbox) {
	var all sync.WaitGroup
	for _, o := range boxes {
		all.Go(o.settle)
	}
	all.Wait()
}
