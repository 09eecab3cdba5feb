package train

import (
	"fmt"
	"slices"

	"fsnetlab/fsnet/engine"
)

// savedConvergence is the convergence as a checkpoint's file holds it: a value a selector in each list.
type savedConvergence struct {
	Seen           bool      `json:"seen"`
	Leader         []int     `json:"leader,omitempty"`
	MaxProbability []float64 `json:"max_probability,omitempty"`
	Second         []float64 `json:"second_probability,omitempty"`
	Entropy        []float64 `json:"entropy,omitempty"`
	SettledSince   []int     `json:"settled_since"`
	WasSettled     bool      `json:"was_settled"`
}

func (w *convergence) saved() savedConvergence {
	return savedConvergence{w.seen, w.last.Leader, w.last.Probability, w.last.Second, w.last.Entropy, w.since, w.wasSettled}
}

func (s savedConvergence) convergence() convergence {
	return convergence{
		seen: s.Seen, since: s.SettledSince, wasSettled: s.WasSettled,
		last: engine.Observation{Leader: s.Leader, Probability: s.MaxProbability, Second: s.Second, Entropy: s.Entropy},
	}
}

// check says what does not fit k selectors and the steps made.
func (s savedConvergence) check(k, step int) error {
	want := 0
	if s.Seen {
		want = k
	}
	for _, n := range []int{len(s.Leader), len(s.MaxProbability), len(s.Second), len(s.Entropy)} {
		if n != want {
			return fmt.Errorf("it has %d values for %d selectors", n, want)
		}
	}
	if len(s.SettledSince) != k {
		return fmt.Errorf("it has %d values for %d selectors", len(s.SettledSince), k)
	}
	if i := slices.IndexFunc(s.SettledSince, func(since int) bool { return since < 0 || since > step }); i >= 0 {
		return fmt.Errorf("selector %d has its leader since step %d", i, s.SettledSince[i])
	}
	if i := slices.IndexFunc(s.Leader, func(j int) bool { return j < 0 }); i >= 0 {
		return fmt.Errorf("selector %d leads with feature %d", i, s.Leader[i])
	}
	return nil
}

// savedPatience is how far the search for the best training loss has come, as a checkpoint's file holds it.
type savedPatience struct {
	BestLoss      float64 `json:"best_loss"`
	BestLossEpoch int     `json:"best_loss_epoch"`
	HasBestLoss   bool    `json:"has_best_loss"`
}

func (p patience) saved() savedPatience {
	return savedPatience{p.bestLoss, p.bestLossEpoch, p.hasBestLoss}
}

func (s savedPatience) patience() patience {
	return patience{s.BestLoss, s.BestLossEpoch, s.HasBestLoss}
}
