package replica

import (
	"context"
	"errors"

	"fsnetlab/fsnet/fault"
)

// conclude gives every replica that has neither result nor error the reason why not, which is why the context ended, and returns it.
func conclude(ctx context.Context, replicas []Replica) error {
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
		cause = interrupted("interrupted with %d of %d replicas done", done, len(replicas))
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
