// Package ranking orders the features of a live session by the largest probability that P gives each, so that completion offers likely
// names first.
//
// # Nouns
//
//   - A [Ranking] is the order as it was last made. Complete lists names that begin with a prefix.
//   - A [Session] says whose features they are and when the training may be used; a [Training] gives the weights.
//
// # Caveats
//
// An order is of some earlier step: it is made when the session rests, and during a run it takes a small share of the time. Who asks waits
// a quarter of a second for a new one and gets the last one else. Call Forget after a rewind.
package ranking

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
)

const (
	most = 10_000 // columns in an order; what follows weighs nothing to speak of

	// idle is how long a session rests before an order is made that nobody has asked for: steps that follow one another are not held up.
	idle  = 100 * time.Millisecond
	wait  = 250 * time.Millisecond // of who asks, for the order of this step: names without it are better than none
	pause = time.Second            // between two orders during a run, which has better things to do
	share = 0.04                   // of a run's time that orders take at the most
)

// Training is what weighs features.
type Training interface {
	Status() session.Status
	Weights() ([]float32, error)
}

// Session is whose features are ranked.
type Session struct {
	Names   []string                                                   // of all columns
	Life    context.Context                                            //nolint:containedctx // it ends with the session
	Step    func() int                                                 // where it stood at the end of the last chunk
	Running func() bool                                                // a run is in progress
	Use     func(ctx context.Context, work func(Training) error) error // calls work when it is its turn
	Busy    func(work func())                                          // does work, of which who asks for the status does not wait for the end
}

// Ranking is the order of a session's columns as it was last made, the most probable first.
type Ranking struct {
	session Session

	mu        sync.Mutex
	order     []int32 // most at the most; nobody changes it
	step      int     // of which it is; 0: there is none
	at        time.Time
	took      time.Duration // of the turn
	forgotten int           // how often
	coming    chan struct{} // closed when the order is there that is being made; nil where none is
	timer     *time.Timer   // makes one that nobody has asked for
}

// New is the ranking of a session, without an order yet.
func New(s Session) *Ranking { return &Ranking{session: s} }

// Forget drops the order: after a rewind P may be another one at the same step.
func (r *Ranking) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order, r.step, r.at = nil, 0, time.Time{}
	r.forgotten++
}

// Complete lists at most so many names that begin with a prefix, by the order of the present step if it can be had soon, else the last one.
func (r *Ranking) Complete(ctx context.Context, prefix string, most int) []string {
	if coming := r.begin(); coming != nil {
		limit := time.NewTimer(wait)
		defer limit.Stop()
		select {
		case <-coming:
		case <-limit.C:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	order := r.order
	r.mu.Unlock()
	return complete(r.session.Names, order, prefix, most)
}

// Soon makes the order of a session that has come to rest, so that it is there for who asks.
func (r *Ranking) Soon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Reset(idle)
		return
	}
	r.timer = time.AfterFunc(idle, func() {
		if !r.session.Running() {
			r.begin()
		}
	})
}

// begin begins to make the order of the present step, where there is none yet and a run in progress can afford it. coming is closed when
// the order that is being made is there, or nil.
func (r *Ranking) begin() (coming <-chan struct{}) {
	step, running := r.session.Step(), r.session.Running()
	r.mu.Lock()
	defer r.mu.Unlock()
	affordable := !running || time.Since(r.at) > max(pause, time.Duration(float64(r.took)/share))
	if r.coming == nil && r.step != step && affordable && r.session.Life.Err() == nil {
		r.coming = make(chan struct{})
		go r.make(r.coming)
	}
	return r.coming
}

// make makes the order when it is its turn, which it gives back before it sorts.
func (r *Ranking) make(coming chan struct{}) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.coming = nil
		close(coming)
	}()
	var weights []float32
	var step, forgotten int
	var took time.Duration
	err := r.session.Use(r.session.Life, func(t Training) (err error) {
		begun := time.Now()
		r.mu.Lock()
		forgotten = r.forgotten
		r.mu.Unlock()
		step = t.Status().Step
		r.session.Busy(func() { weights, err = t.Weights() })
		took = time.Since(begun)
		return err
	})
	if err != nil || len(weights) != len(r.session.Names) {
		return // then there is no order
	}
	order := leading(weights, most)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.forgotten == forgotten {
		r.order, r.step, r.at, r.took = order, step, time.Now(), took
	}
}

// leading are the columns of the largest weights, the largest first, ties in their own order, at most so many: they are sorted whenever
// there are twice as many candidates, which is seldom, and takes no more memory however many columns there are.
func leading(weights []float32, most int) []int32 {
	candidates := make([]int32, 0, min(2*most, len(weights)))
	least := float32(math.Inf(-1)) // of those that can still be among them
	sorted := func() []int32 {
		slices.SortFunc(candidates, func(a, b int32) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) })
		return candidates[:min(len(candidates), most)]
	}
	for j, w := range weights {
		if !(w > least) {
			continue
		}
		if candidates = append(candidates, int32(j)); len(candidates) == 2*most {
			candidates = sorted()
			least = weights[candidates[most-1]]
		}
	}
	return slices.Clone(sorted())
}

// complete lists at most so many of the names that begin with a prefix: those in the order of columns first, as it has them, then the
// others in their own.
func complete(names []string, order []int32, prefix string, most int) []string {
	list, listed := []string{}, map[int]bool{}
	for _, j := range order {
		if len(list) == most {
			return list
		}
		if strings.HasPrefix(names[j], prefix) {
			list = append(list, names[j])
			listed[int(j)] = true
		}
	}
	for j, name := range names {
		if len(list) == most {
			break
		}
		if strings.HasPrefix(name, prefix) && !listed[j] {
			list = append(list, name)
		}
	}
	return list
}
