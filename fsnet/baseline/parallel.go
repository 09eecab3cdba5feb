package baseline

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/fault"
)

// work is something done for many features, on all processors.
type work struct {
	method, stage string
	options       Options
}

// forEach calls do for pieces [from, to) that make up 0…count, of at most size each, and reports after each from this goroutine. What do
// writes must depend on the indices alone. It ends early, with an error of kind Interrupted, where ctx is cancelled.
func (w work) forEach(ctx context.Context, count, size int, do func(from, to int)) error {
	pieces := (count + size - 1) / size
	finished := make(chan int, pieces)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(pieces, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				piece := int(next.Add(1)) - 1
				if piece >= pieces {
					return
				}
				from := piece * size
				to := min(from+size, count)
				do(from, to)
				finished <- to - from
			}
		})
	}
	go func() {
		workers.Wait()
		close(finished)
	}()
	done := 0
	for made := range finished {
		done += made
		w.options.report(w.stage, done, count)
	}
	return w.interrupted(ctx)
}

// interrupted is nil, or says that ctx was cancelled.
func (w work) interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.New(fault.Interrupted, "", "%s: interrupted (%s)", w.method, w.stage)
}
