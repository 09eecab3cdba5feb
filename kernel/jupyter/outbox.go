package jupyter

import (
	"sync"
	"time"
)

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
