package jupyter

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	paceLook   = 2 * time.Millisecond // between two checks of how far behind subscribers are
	paceWindow = 3 * time.Second      // between two checks of how much subscribers read; they read in bursts
	leastTaken = 1_500_000            // bytes that a subscriber must read in a window to count as reading

	lateness    = 5 * time.Second // how much later than its shell connection a client may connect to iopub
	maxStatuses = 200             // number of statuses to keep for clients that connect late
)

// Publisher is the bound socket that all front ends subscribe to: iopub.
type Publisher struct {
	codec    Codec
	session  string // session of the welcome messages
	log      *slog.Logger
	listener *listener

	mu          sync.Mutex // also gives all subscribers the messages in the same order
	subscribers map[*subscriber]bool
	statuses    []sentStatus // recent statuses, oldest first
	rate        *rate        // nil means unlimited
}

// sentStatus is a status and the time when it was sent.
type sentStatus struct {
	at      time.Time
	message Message
}

// subscriber is one connection to iopub.
type subscriber struct {
	box *outbox

	// Guarded by Publisher.mu.
	lost        int            // bytes of messages that didn't fit
	watched     time.Time      // time of the last check of how much it reads
	read        int64          // bytes it had read at that check
	slow        bool           // it has stopped reading
	topics      map[string]int // number of subscriptions by topic
	bytes       int            // total length of topics
	hasStatuses bool           // it has received the statuses that preceded its subscription
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

// Publish sends a message to all subscribers, with its type as the topic. It
// never waits. A subscriber that is far behind loses the message. Once it has
// lost as many bytes as may wait for it, it loses its connection as well.
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
		case !s.box.enqueue(frames):
			p.lose(s, cost(frames))
		case s.lost > 0 && !s.farBehind():
			s.lost = 0
		}
	}
}

// lose counts the bytes that a subscriber has lost. When they reach the bound
// on waiting bytes, it ends the subscriber's connection. The caller must hold
// the lock.
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

// Pace waits until no reading subscriber is far behind and Jupyter Server will
// pass on what comes next. You need it only for floods, such as all the text
// that a cell prints. It doesn't wait long for a subscriber that hardly reads.
func (p *Publisher) Pace() {
	for p.runsAhead(time.Now()) || p.isTooFast(time.Now()) {
		time.Sleep(paceLook)
	}
}

// count counts a message as Jupyter Server does. An idle status resets the
// count to zero. The caller must hold the lock.
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

// isTooFast reports whether Jupyter Server would drop output now. It returns
// false if the rate is unlimited.
func (p *Publisher) isTooFast(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate != nil && p.rate.exceeded(now)
}

// runsAhead reports whether Pace should wait for a subscriber.
func (p *Publisher) runsAhead(now time.Time) (ahead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.subscribers {
		ahead = s.catchesUp(now) || ahead
	}
	return ahead
}

// catchesUp reports whether a subscriber is far behind but still reading. The
// caller must hold the publisher's lock.
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
		p.receive(s, frames)
	}
	p.mu.Lock()
	delete(p.subscribers, s)
	p.mu.Unlock()
}

// receive handles a subscriber's message. It welcomes a new subscriber and sends
// it the latest statuses under new ids. A subscriber that returns after a
// broken connection may have seen the original ones, and would reject repeats.
func (p *Publisher) receive(s *subscriber, frames [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	topic, ok := s.subscribe(frames)
	if !ok {
		return
	}
	s.box.enqueue(p.codec.Encode(p.welcome(topic))) // a full outbox may drop it: a peer that doesn't read needs no welcome
	if s.hasStatuses || !s.wants("status") {
		return
	}

	s.hasStatuses = true
	for _, status := range p.statuses {
		if time.Since(status.at) < lateness {
			m := status.message
			m.Header.ID = NewID()
			s.box.enqueue(p.codec.Encode(m))
		}
	}
}

// welcome returns the message that confirms a subscription. It tells a front
// end that everything published from now on will reach it, so that it needn't
// send requests until it hears something.
func (p *Publisher) welcome(topic string) Message {
	m := NewMessage(p.session, "iopub_welcome", map[string]string{"subscription": topic})
	m.Identities = [][]byte{[]byte(m.Header.Type)}
	if !strings.HasPrefix(m.Header.Type, topic) {
		m.Identities[0] = []byte(topic) // a subscriber receives only messages that start with its topic
	}
	return m
}

// remember keeps recent statuses for subscribers that connect late. Jupyter
// Server normally waits for an IOPub message before it forwards a page's
// requests, but it doesn't wait for a kernel that it believes to be busy. This
// kernel answers at once, so a page could miss the idle status of its
// kernel_info request and wait forever. A console opened while a cell was
// running hit this one time in five. The caller must hold the lock.
func (p *Publisher) remember(status sentStatus) {
	from := max(0, len(p.statuses)+1-maxStatuses)
	for from < len(p.statuses) && status.at.Sub(p.statuses[from].at) >= lateness {
		from++
	}
	p.statuses = append(slices.Delete(p.statuses, 0, from), status)
}

// maxTopics bounds the memory that the topics of one subscriber take, in bytes.
const maxTopics = 1 << 16

// subscribe reads a subscription: one frame with 1 or 0 and the topic. ok is
// false if frames are not a valid new subscription. The caller must hold the
// publisher's lock.
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

// wants reports whether a subscriber receives messages of a type. The caller
// must hold the publisher's lock.
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
	// maxWaiting bounds the bytes that wait for one peer.
	maxWaiting = 128_000_000
	// messageCost is added to the bytes of each message, so that the bound also
	// holds for many small messages.
	messageCost = 2 << 10

	// A closing connection sends the remaining messages as long as its peer
	// reads something within closeGrace, but for closeLimit at most.
	closeGrace = time.Second
	closeLimit = 3 * time.Second
)

// outbox holds the messages that wait for one peer. Posting never waits for the
// peer, because a goroutine does the sending.
type outbox struct {
	link *link
	most int           // bytes that may wait; one message may exceed it
	over chan struct{} // closed when sending has ended

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][][]byte
	cost    int   // of the waiting messages and the one being sent
	sent    int64 // number of messages
	ended   bool  // no more messages will be posted
}

// newOutbox starts sending. The caller must call abandon in the end, even after
// settle.
func newOutbox(l *link) *outbox {
	o := &outbox{link: l, most: maxWaiting, over: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	l.writeLimit = 0 // because no sender waits for the peer
	go o.send()
	return o
}

// cost returns what a message counts as while it waits: the bytes of its frames
// plus messageCost.
func cost(frames [][]byte) int {
	n := messageCost
	for _, f := range frames {
		n += len(f)
	}
	return n
}

// enqueue queues a message. If too much is waiting already, it drops the message
// and returns false. After end it drops the message and returns true.
func (o *outbox) enqueue(frames [][]byte) bool {
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

// send sends messages until none remain after end, or until the connection
// fails.
func (o *outbox) send() {
	defer close(o.over)
	for {
		batch := o.next()
		for i, frames := range batch {
			if frames == nil || o.link.send(frames) != nil {
				return
			}
			batch[i] = nil // free it while the others wait
			o.mu.Lock()
			o.cost -= cost(frames)
			o.sent++
			o.mu.Unlock()
		}
	}
}

// next waits for messages and removes all of them from the queue. If no more
// will come, the last element is nil.
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

// end makes later calls of post drop their messages. Messages that wait are
// still sent.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.changed.Signal()
}

// settle ends the outbox. It returns when the remaining messages are sent, when
// the peer has read nothing for closeGrace, or after closeLimit. The connection
// stays open until abandon.
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

// abandon closes the connection, drops the queued messages, and waits for the
// sender to return.
func (o *outbox) abandon() {
	o.end()
	o.link.close()
	<-o.over
}

// settle calls the settle method of all boxes concurrently.
func settle(boxes []*outbox) {
	var all sync.WaitGroup
	for _, o := range boxes {
		all.Go(o.settle)
	}
	all.Wait()
}
