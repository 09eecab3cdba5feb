package replica

import (
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

// MaxReplicas is the largest number of replicas of a plan.
const MaxReplicas = 100_000

// Plan is what to train.
type Plan struct {
	Settings  config.Settings         // of the first replica; the others differ in their seed only
	Directory string                  // where relative paths in the settings start; "" is the working directory
	Replicas  int                     // 1…MaxReplicas
	Save      func(seed int64) string // the file for the model of a replica, written as soon as it is done; nil saves none
}

// Check refuses a plan with too few or too many replicas, or whose last seed is not a number of 64 bits.
func (p Plan) Check() error {
	if p.Replicas < 1 || p.Replicas > MaxReplicas {
		return fault.New(fault.Request, "choose 1 to 100000", "replicas = %d is out of range", p.Replicas)
	}
	if p.Settings.Seed > math.MaxInt64-int64(p.Replicas-1) {
		return fault.New(fault.Request, "choose a smaller seed", "seed = %d leaves no seeds for %d replicas", p.Settings.Seed, p.Replicas)
	}
	return nil
}

// replicas are those of the plan, without results.
func (p Plan) replicas() []Replica {
	list := make([]Replica, p.Replicas)
	for r := range list {
		list[r].Seed = p.Seed(r)
	}
	return list
}

// Seed is the seed of replica r, from 0.
func (p Plan) Seed(r int) int64 { return p.Settings.Seed + int64(r) }

// job is replica r of the plan, in the words of a worker.
func (p Plan) job(r int) job {
	j := job{Seed: p.Seed(r)}
	if p.Save != nil {
		j.Save = p.Save(j.Seed)
	}
	return j
}
