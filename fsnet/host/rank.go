package host

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	rankMost = 10_000 // columns in an order; what follows weighs nothing to speak of

	// rankRest is how long a session rests before an order is made that nobody has asked for: steps that follow one another are not held up.
	rankRest  = 100 * time.Millisecond
	rankWait  = 250 * time.Millisecond // of who asks, for an order of this step: names without it are better than none
	rankPause = time.Second            // between two during a run, which has better things to do
	rankShare = 0.04                   // of a run's time is theirs at the most
)

// rank is the order of a session's columns as it was last made: by the largest probability that P gives each, the most probable first.
type rank struct {
	mu     sync.Mutex
	order  []int32 // rankMost at the most; nobody changes it
	step   int     // of which it is; 0: there is none
	at     time.Time
	took   time.Duration // of the turn
	lost   int           // how often it was forgotten
	coming chan struct{} // closed when the one is there that is being made; nil where none is
	soon   *time.Timer   // makes one that nobody has asked for
}

// forget: a rewind may lead to another P at the same step.
func (r *rank) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order, r.step, r.at = nil, 0, time.Time{}
	r.lost++
}

// order is that of the present step if it can be had soon, else the last one.
func (s *live) order(ctx context.Context) []int32 {
	r := &s.rank
	if coming := s.ranks(); coming != nil {
		limit := time.NewTimer(rankWait)
		defer limit.Stop()
		select {
		case <-coming:
		case <-limit.C:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.order
}

// ranksSoon makes the order of a session that has come to rest, so that it is there for who asks.
func (s *live) ranksSoon() {
	r := &s.rank
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.soon != nil {
		r.soon.Reset(rankRest)
		return
	}
	r.soon = time.AfterFunc(rankRest, func() {
		if s.running() == nil {
			s.ranks()
		}
	})
}

// ranks begins to make the order of the present step, where there is none yet and a run in progress can afford it. coming is closed when the
// one is there that is being made, or nil.
func (s *live) ranks() (coming <-chan struct{}) {
	step, running := s.seen.last().Step, s.running() != nil
	r := &s.rank
	r.mu.Lock()
	defer r.mu.Unlock()
	affordable := !running || time.Since(r.at) > max(rankPause, time.Duration(float64(r.took)/rankShare))
	if r.coming == nil && r.step != step && affordable && s.life.Err() == nil {
		r.coming = make(chan struct{})
		go s.rankNow(r.coming)
	}
	return r.coming
}

// rankNow makes the order when it is its turn, which it gives back before it sorts. Meanwhile who only wants to know where the session
// stands does not wait.
func (s *live) rankNow(coming chan struct{}) {
	r := &s.rank
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.coming = nil
		close(coming)
	}()
	var weights []float32
	var step, lost int
	var took time.Duration
	err := s.use(s.life, func(t Training) (err error) {
		begun := time.Now()
		r.mu.Lock()
		lost = r.lost
		r.mu.Unlock()
		step = t.Status().Step
		s.seen.during(func() { weights, err = t.Weights() })
		took = time.Since(begun)
		return err
	})
	if err != nil || len(weights) != len(s.names) {
		return // then there is no order
	}
	order := leading(weights, rankMost)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == lost {
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
