package jupyter

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	paceLook   = 2 * time.Millisecond // between two checks of how far subscribers are behind
	paceWindow = 3 * time.Second      // between two checks of how much they read; reading comes in bursts
	leastTaken = 1_500_000            // bytes that a subscriber which reads takes in a window

	lateness    = 5 * time.Second // how much later than its shell connection a client may connect to iopub
	maxStatuses = 200             // kept for clients that connect late
)

// Publisher is the bound socket that all front ends subscribe to: iopub.
type Publisher struct {
	codec    Codec
	session  string // session of the welcomes
	log      *slog.Logger
	listener *listener

	mu          sync.Mutex // also keeps the messages of all subscribers in one order
	subscribers map[*subscriber]bool
	statuses    []sentStatus // recent statuses, oldest first
	rate        *rate        // nil if unlimited
}

// sentStatus is a status that went out, and when.
type sentStatus struct {
	at      time.Time
	message Message
}

// subscriber is one connection to iopub.
type subscriber struct {
	box *outbox

	// Guarded by Publisher.mu.
	lost        int            // bytes of messages that did not fit
	watched     time.Time      // last check of how much it reads
	read        int64          // bytes read by then
	slow        bool           // it has stopped reading
	topics      map[string]int // subscriptions, with their number
	bytes       int            // total length of topics
	hasStatuses bool           // it got the statuses from before it connected
}

// newPublisher opens iopub and serves its subscribers in the background.
func newPublisher(c Connection, codec Codec, o Options) (*Publisher, error) {
	p := &Publisher{codec: codec, session: o.Session, log: o.Log, subscribers: map[*subscriber]bool{}}
	if o.Paced {
		p.rate = &rate{}
	}
	var err error
	p.listener, err = listen(c, c.IOPubPort, pubSocket, p.serve)
	return p, err
}

// Publish sends a message to all subscribers, with its type as the topic. It never waits: a
// subscriber far behind loses the message and, once it has lost as much as may wait for it, its
// connection.
func (p *Publisher) Publish(m Message) {
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	frames := p.codec.Encode(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Header.Type == "status" {
		p.remember(sentStatus{time.Now(), m})
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

// lose counts the bytes that a subscriber has lost, and ends its connection when they are as many
// as may wait for it. The caller holds the lock.
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

// Pace waits until no subscriber that reads is far behind, so that none loses part of a flood, such
// as all the text a cell prints, and until Jupyter Server passes it on. Only floods need it. It
// does not wait long for a subscriber that hardly reads.
func (p *Publisher) Pace() {
	for p.runsAhead(time.Now()) || p.isTooFast(time.Now()) {
		time.Sleep(paceLook)
	}
}

// count counts a message as Jupyter Server does, from zero after an idle status. The caller holds
// the lock.
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

// isTooFast reports whether Jupyter Server would drop output now; false if the rate is unlimited.
func (p *Publisher) isTooFast(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate != nil && p.rate.exceeded(now)
}

// runsAhead reports whether some subscriber needs waiting for.
func (p *Publisher) runsAhead(now time.Time) (ahead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.subscribers {
		ahead = s.catchesUp(now) || ahead
	}
	return ahead
}

// catchesUp reports whether a subscriber is far behind but still reading. The caller holds the
// publisher's lock.
func (s *subscriber) catchesUp(now time.Time) bool {
	if !s.farBehind() {
		s.watched = time.Time{}
		return false
	}
	if first := s.watched.IsZero(); first || now.Sub(s.watched) >= paceWindow {
		read := s.box.progress()
		s.slow = !first && read-s.read < leastTaken
		s.watched, s.read = now, read
	}
	return !s.slow
}

func (s *subscriber) farBehind() bool { return s.box.behind() >= s.box.most/2 }

// serve handles one subscriber until its connection ends.
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

// hear handles a subscriber's message. A new subscriber is welcomed and gets the latest statuses
// under new ids: one that returns after a broken connection may have seen the originals and would
// refuse repeats.
func (p *Publisher) hear(s *subscriber, frames [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	topic, ok := s.subscribe(frames)
	if !ok {
		return
	}
	s.box.post(p.codec.Encode(p.welcome(topic))) // a full outbox may drop it: whoever does not read needs no welcome
	if s.hasStatuses || !s.wants("status") {
		return
	}
	s.hasStatuses = true
	for _, status := range p.statuses {
		if time.Since(status.at) < lateness {
			m := status.message
			m.Header.ID = NewID()
			s.box.post(p.codec.Encode(m))
		}
	}
}

// welcome returns the message that confirms a subscription: everything published from now on
// reaches the subscriber, so that a front end need not ask until it hears something.
func (p *Publisher) welcome(topic string) Message {
	m := NewMessage(p.session, "iopub_welcome", map[string]string{"subscription": topic})
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	if !strings.HasPrefix(m.Header.Type, topic) {
		m.Identities[0] = []byte(topic) // a subscriber receives only messages that begin with its topic
	}
	return m
}

// remember keeps recent statuses for subscribers that connect late. Jupyter Server normally waits
// for an IOPub message before it forwards a page's requests, but does not wait for a kernel it
// believes to be busy. This kernel answers at once, so a page could miss the idle status of its own
// kernel_info request and wait for ever; a console opened beside a running cell hit this one time
// in five. The caller holds the lock.
func (p *Publisher) remember(status sentStatus) {
	from := max(0, len(p.statuses)+1-maxStatuses)
	for from < len(p.statuses) && status.at.Sub(p.statuses[from].at) >= lateness {
		from++
	}
	p.statuses = append(slices.Delete(p.statuses, 0, from), status)
}

// maxTopics bounds the memory that one subscriber's topics take.
const maxTopics = 1 << 16

// subscribe reads a subscription: one frame with 1 or 0 and the topic. ok reports whether it was a
// subscription. The caller holds the publisher's lock.
func (s *subscriber) subscribe(frames [][]byte) (topic string, ok bool) {
	if len(frames) != 1 || len(frames[0]) == 0 {
		return "", false
	}
	topic = string(frames[0][1:])
	switch frames[0][0] {
	case 1:
		if _, known := s.topics[topic]; !known {
			if s.bytes+len(topic)+frameCost > maxTopics {
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

// wants reports whether a subscriber receives messages of a type. The caller holds the publisher's
// lock.
func (s *subscriber) wants(topic string) bool {
	for t := range s.topics {
		if strings.HasPrefix(topic, t) {
			return true
		}
	}
	return false
}

// outboxes returns the outboxes of all subscribers.
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
	// maxWaiting bounds the bytes waiting for one peer.
	maxWaiting = 128_000_000
	// messageCost is added to the bytes of each message, so that many small messages are bounded,
	// too.
	messageCost = 2 << 10

	// A closing connection sends what is left as long as its peer reads within closeGrace, and at
	// most for closeLimit.
	closeGrace = time.Second
	closeLimit = 3 * time.Second
)

// outbox holds the messages waiting for one peer. Posting never waits for the peer; a goroutine
// sends.
type outbox struct {
	link *link
	most int           // bytes that may wait; a message that starts below it is accepted whole
	over chan struct{} // closed when sending has ended

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][][]byte
	cost    int   // of waiting messages and the one being sent
	sent    int64 // messages
	ended   bool  // no more messages will come
}

// newOutbox starts sending. The caller ends it with abandon, even after settle.
func newOutbox(l *link) *outbox {
	o := &outbox{link: l, most: maxWaiting, over: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	l.writeLimit = 0 // no sender waits for it
	go o.send()
	return o
}

// cost returns the bytes that a message counts as while it waits: its frames and messageCost.
func cost(frames [][]byte) int {
	n := messageCost
	for _, f := range frames {
		n += len(f)
	}
	return n
}

// post queues a message. It returns false, and the message is lost, if too much is waiting already.
// After end it drops the message and returns true.
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
	o.changed.Signal()
	return true
}

// send sends messages until end was called and none is left, or until the connection fails.
func (o *outbox) send() {
	defer close(o.over)
	for {
		batch := o.next()
		for i, frames := range batch {
			if frames == nil || o.link.send(frames) != nil {
				return
			}
			batch[i] = nil // free it while the rest waits
			o.mu.Lock()
			o.cost -= cost(frames)
			o.sent++
			o.mu.Unlock()
		}
	}
}

// next waits for messages and takes all of them; a final nil says that no more will come.
func (o *outbox) next() [][][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) == 0 && !o.ended {
		o.changed.Wait()
	}
	batch := o.waiting
	o.waiting = nil
	if o.ended {
		batch = append(batch, nil)
	}
	return batch
}

// behind returns the cost of the waiting messages.
func (o *outbox) behind() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.cost
}

// progress returns a number that grows with everything the peer reads.
func (o *outbox) progress() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.link.sent.Load() + o.sent*messageCost
}

// end says that no more messages will come; those that wait are still sent.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.changed.Signal()
}

// settle ends the outbox and waits until the messages left in it are sent, the peer has read
// nothing for closeGrace, or closeLimit has passed. The connection stays open until abandon.
func (o *outbox) settle() {
	o.end()
	for limit, before := time.Now().Add(closeLimit), int64(-1); before < o.progress() && time.Now().Before(limit); {
		before = o.progress()
		select {
		case <-o.over:
			return
		case <-time.After(closeGrace):
		}
	}
}

// abandon ends the connection, sends nothing more, and waits for the sender to end.
func (o *outbox) abandon() {
	o.end()
	o.link.close()
	<-o.over
}

// settle sends what is left for several peers concurrently, each within its own time.
func settle(boxes []*outbox) {
	var all sync.WaitGroup
	for _, o := range boxes {
		all.Go(o.settle)
	}
	all.Wait()
}
