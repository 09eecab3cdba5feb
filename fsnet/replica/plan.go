package replica

import (
	"fmt"
	"math"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// MaxReplicas is the largest number of replicas of a plan.
const MaxReplicas = 100_000

// Plan is what to train.
type Plan struct {
	Settings  config.Settings         // of the first replica; the others differ in their seed only
	Directory string                  // where relative paths in the settings start; "" is the working directory
	Replicas  int                     // 1…MaxReplicas
	Only      []int                   // which of the replicas are trained, from 0, each once; nil is all
	DataHash  string                  // of the data set that is expected; "" takes what there is
	Files     dataset.ConstraintFiles // what the files that settings name are expected to say; nil takes what they say as a run begins
	Save      func(seed int64) string // the file for the model of a replica, written as soon as it is done; nil saves none
}

// Check refuses a plan with too few or too many replicas, or whose last seed is not a number of 64 bits.
func (p Plan) Check() error {
	if p.Replicas < 1 || p.Replicas > MaxReplicas {
		return fault.New(fault.Request, "choose 1 to 100000", "replicas = %d is out of range", p.Replicas)
	}
	if p.Settings.Seed > math.MaxInt64-int64(p.Replicas-1) {
		return fault.New(fault.Request, "choose a smaller seed", "seed = %d leaves too few seeds for %s", p.Settings.Seed, count.Of(p.Replicas, "replica"))
	}
	seen := make(map[int]bool, len(p.Only))
	for _, r := range p.Only {
		if r < 0 || r >= p.Replicas || seen[r] {
			return fault.New(fault.Request, fmt.Sprintf("choose replicas from 0 to %d, each once", p.Replicas-1),
				"replica %d is not one of the %d, or is asked for twice", r, p.Replicas)
		}
		seen[r] = true
	}
	return nil
}

// replicas are those of the plan that are trained, without results.
func (p Plan) replicas() []Replica {
	if p.Only != nil {
		list := make([]Replica, len(p.Only))
		for i, r := range p.Only {
			list[i].Seed = p.Seed(r)
		}
		return list
	}
	list := make([]Replica, p.Replicas)
	for r := range list {
		list[r].Seed = p.Seed(r)
	}
	return list
}

// sameData refuses another data set than the one that is expected.
func (p Plan) sameData(hash string) error {
	if p.DataHash == "" || p.DataHash == hash {
		return nil
	}
	return fault.New(fault.Request, "bring back the data of that time, or make the plan again: fsnet replicas plan",
		"%s is not the data set of the plan: its hash is %.12s, and the plan's %.12s", p.Settings.Data, hash, p.DataHash)
}

// CheckFiles refuses files that settings name and that do not say what the plan expects.
func (p Plan) CheckFiles() error {
	return sameFiles(p.Settings, p.Directory, p.Files, "bring it back as it was, or make the plan again: fsnet replicas plan")
}

func sameFiles(s config.Settings, directory string, expected dataset.ConstraintFiles, remedy string) error {
	now, err := dataset.ConstraintFilesOf(s, directory)
	if err != nil {
		return err
	}
	if what := expected.Changed(now, s); what != "" {
		return fault.New(fault.Request, remedy, "%s", what)
	}
	return nil
}

// begun is the plan of a run that begins: what its files say now they have to say until the last replica has read them.
func (p Plan) begun() (Plan, error) {
	err := p.Check()
	if err == nil && p.Files == nil {
		p.Files, err = dataset.ConstraintFilesOf(p.Settings, p.Directory)
	}
	return p, err
}

// Seed is the seed of replica r, from 0.
func (p Plan) Seed(r int) int64 { return p.Settings.Seed + int64(r) }

// job is the replica of a seed, in the words of a worker.
func (p Plan) job(seed int64) job {
	j := job{Seed: seed}
	if p.Save != nil {
		j.Save = p.Save(j.Seed)
	}
	return j
}
