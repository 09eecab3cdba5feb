package replica

import (
	"encoding/json"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
)

// A worker reads an assignment, then jobs, one at a time, as lines of JSON; the end of its input ends it. It answers the assignment with
// ready or a fault, and every job with any number of steps and then a result or a fault. Every second it says that it is alive, whatever it
// does.

// assignment is what all jobs of a worker have in common.
type assignment struct {
	Settings  config.Settings         `json:"settings"`
	Directory string                  `json:"directory"`
	Alone     bool                    `json:"alone"` // nobody has planned the memory: look whether there is room for one
	Files     dataset.ConstraintFiles `json:"files,omitempty"`
}

// job is one training.
type job struct {
	Seed int64  `json:"seed"`
	Save string `json:"save,omitempty"`
}

// reply has one of its fields.
type reply struct {
	Ready  *ready       `json:"ready,omitempty"`
	Steps  *steps       `json:"steps,omitempty"`
	Alive  *alive       `json:"alive,omitempty"`
	Result *answer      `json:"result,omitempty"`
	Fault  *fault.Error `json:"fault,omitempty"`
}

// ready says that device and data are open.
type ready struct {
	DatasetHash string            `json:"dataset_hash"`
	Memory      engine.MemoryPlan `json:"memory"` // of this process
}

// steps is how far a training is.
type steps struct {
	Step  int `json:"step"`
	Steps int `json:"steps"` // in the whole annealing
}

// alive is what a worker says of itself now and then.
type alive struct {
	CPU float64 `json:"cpu"` // seconds of processor time that it has used
}

// answer is a result with its notes, which its own JSON leaves out.
type answer struct {
	Result Result `json:"result"`
	Notes  Notes  `json:"notes"`
}

func (a answer) result() *Result {
	a.Result.Notes = a.Notes
	return &a.Result
}

// parseReply reads one line of a worker.
func parseReply(line []byte) (reply, error) {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return reply{}, fault.Wrap(err, fault.Failed, "run it again", "a worker process sent something other than a reply")
	}
	given := 0
	for _, is := range []bool{r.Ready != nil, r.Steps != nil, r.Alive != nil, r.Result != nil, r.Fault != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return reply{}, fault.New(fault.Failed, "run it again", "a worker process sent a reply with %d answers", given)
	}
	return r, nil
}
