package host

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

const (
	defaultFeatures = 100
	rankWait        = 250 * time.Millisecond // for an order that is of this step: names without it are better than none
	rankPause       = time.Second            // between two during a run, which has better things to do
)

// Features implements session.Service. It does not wait for the session: names are always there, and their order is that of the last P that
// could be had soon.
func (h *Host) Features(ctx context.Context, name string, request session.FeaturesRequest) ([]string, error) {
	if request.Most < 0 || request.Most > session.MaxFeatures {
		return nil, fault.New(fault.Request, "take 1 to 1000, or 0 for 100", "most = %d names", request.Most)
	}
	s, err := h.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return heaviest(s.names, s.weights(ctx), request.Prefix, cmp.Or(request.Most, defaultFeatures)), nil
}

// heaviest lists at most so many of the names that begin with a prefix: those of the largest weights first, ties and names without weights
// in their own order.
func heaviest(names []string, weights []float32, prefix string, most int) []string {
	var best []int
	for j, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if len(weights) != len(names) {
			if best = append(best, j); len(best) == most {
				break
			}
			continue
		}
		if len(best) == most && weights[j] <= weights[best[most-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, weights[j], func(i int, w float32) int {
			if weights[i] >= w {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, j)
		best = best[:min(len(best), most)]
	}
	list := make([]string, len(best))
	for i, j := range best {
		list[i] = names[j]
	}
	return list
}

// rank is the weights of a session's features as they were last computed.
type rank struct {
	mu      sync.Mutex
	weights []float32
	step    int // at which they were computed; 0: they were not
	at      time.Time
	coming  chan struct{} // closed when those are there that are being computed; nil where none are
}

// forget: a rewind may lead to another P at the same step.
func (r *rank) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.weights, r.step, r.at = nil, 0, time.Time{}
}

// weights are those of the present step if they can be had soon, else the last ones.
func (s *live) weights(ctx context.Context) []float32 {
	step, running := s.seen.last().Step, s.running() != nil
	r := &s.rank
	r.mu.Lock()
	if r.coming == nil && r.step != step && (!running || time.Since(r.at) > rankPause) {
		coming := make(chan struct{})
		r.coming = coming
		go s.weigh(coming)
	}
	coming := r.coming
	r.mu.Unlock()
	if coming != nil {
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
	return r.weights
}

// weigh computes the weights when it is its turn.
func (s *live) weigh(coming chan struct{}) {
	r := &s.rank
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.coming = nil
		close(coming)
	}()
	s.use(s.life, func(t Training) error { //nolint:errcheck // then there is no order
		weights, err := t.Weights()
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.weights, r.step, r.at = weights, t.Status().Step, time.Now()
		return nil
	})
}
