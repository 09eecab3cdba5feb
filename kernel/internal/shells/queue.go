package shells

import (
	"sync"

	"fsnetlab/kernel/wire"
)

// queue holds the cells that wait for their turn in one shell.
type queue struct {
	mu     sync.Mutex
	cells  []wire.Message
	closed bool
	news   *sync.Cond
}

func newQueue() *queue {
	q := &queue{}
	q.news = sync.NewCond(&q.mu)
	return q
}

// put adds a cell. It is false where the shell was deleted meanwhile.
func (q *queue) put(m wire.Message) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.cells = append(q.cells, m)
	q.news.Signal()
	return true
}

// next waits for a cell; ok is false once the queue is closed.
func (q *queue) next() (m wire.Message, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.cells) == 0 && !q.closed {
		q.news.Wait()
	}
	if q.closed {
		return m, false
	}
	m, q.cells = q.cells[0], q.cells[1:]
	return m, true
}

// drain takes all that wait.
func (q *queue) drain() []wire.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.cells
	q.cells = nil
	return waiting
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.news.Broadcast()
}
