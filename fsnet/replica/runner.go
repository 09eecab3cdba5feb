package replica

import (
	"context"
	"errors"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Replica is one of the trainings: a result or an error.
type Replica struct {
	Seed   int64
	Result *Result
	Err    error // of kind Request or NotFound where this seed's training is not possible, as with k above its features that vary
}

// Results are those of the replicas that have one.
func Results(replicas []Replica) []Result {
	var list []Result
	for _, r := range replicas {
		if r.Result != nil {
			list = append(list, *r.Result)
		}
	}
	return list
}

// Progress is how far a run of replicas is.
type Progress struct {
	Replicas       int           // in all that are trained
	Done, Failed   int           // so far
	Running        int           // now
	Workers        int           // processes that train; 0 before that is known
	Steps          int           // made so far by all replicas that are done or running
	Share          float64       // of the work, 0 to 1: replicas done or failed, and of the running ones the share of their steps
	StepsPerSecond float64       // of all together, since the first; 0 while it is not known
	Left           time.Duration // at this pace; 0 while it is not known
	Finished       *Replica      // the one that has just come to its end, with its result or its error; else nil
	News           string        // what has just happened and a person should know, such as a worker that hung; else ""
}

// interrupted is the error of a run or a replica that was stopped.
func interrupted(what string, args ...any) error {
	return fault.New(fault.Interrupted, "", what, args...)
}

// endUnfinished gives every replica that has neither result nor error the reason why not, which is why the context ended, and returns it.
func endUnfinished(ctx context.Context, replicas []Replica) error {
	if ctx.Err() == nil {
		return nil
	}
	done, left := 0, 0
	for _, replica := range replicas {
		switch {
		case replica.Result != nil:
			done++
		case replica.Err == nil:
			left++
		}
	}
	if left == 0 { // the end came when all was over
		return nil
	}
	cause := context.Cause(ctx)
	var known *fault.Error
	stopped := !errors.As(cause, &known)
	if stopped {
		cause = interrupted("interrupted with %d of %s done", done, count.Of(len(replicas), "replica"))
	}
	for i := range replicas {
		replica := &replicas[i]
		if replica.Result != nil || replica.Err != nil {
			continue
		}
		if replica.Err = cause; stopped {
			replica.Err = interrupted("seed %d: interrupted", replica.Seed)
		}
	}
	return cause
}
