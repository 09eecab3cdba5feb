package baseline

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// Work is a Fit under way.
type Work struct {
	Entry
	Options
	Data  Data
	Stage string // what is being done

	columns [][]float64
}

// Begin refuses data and options that a method cannot be fitted to, and those for which there is no room. Every Fit begins with it.
func Begin(ctx context.Context, m Method, data Data, o Options, stage string) (*Work, error) {
	e := m.Entry()
	if err := data.check(e); err != nil {
		return nil, err
	}
	if err := o.checkK(e, data.Width()); err != nil {
		return nil, err
	}
	err := CheckMemory(ctx, m, Sizes{len(data.Rows), data.Width(), data.Classes, o.K}, o)
	return &Work{Entry: e, Options: o, Data: data, Stage: stage}, err
}

// Columns is the transpose of the rows: d columns of n numbers.
func (w *Work) Columns() [][]float64 {
	if w.columns == nil {
		w.columns = w.Data.columns()
	}
	return w.columns
}

// Report says how many steps of the stage are done.
func (w *Work) Report(done, total int) {
	if w.Progress != nil {
		w.Progress(Progress{w.Stage, done, total})
	}
}

// Quiet is the same work without reports.
func (w *Work) Quiet() *Work {
	quiet := *w
	quiet.Progress = nil
	return &quiet
}

// Interrupted is nil, or says that ctx was cancelled.
func (w *Work) Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.New(fault.Interrupted, "", "%s: interrupted (%s)", w.Name, w.Stage)
}

// OpenDevice is Options.Device, or one that is opened for this Fit. Call done when it is no longer needed.
func (w *Work) OpenDevice(ctx context.Context) (scope *device.Scope, done func(), err error) {
	if w.Device != nil {
		return w.Device, func() {}, nil
	}
	if scope, err = device.OpenScope(ctx, "auto"); err != nil {
		return nil, nil, err
	}
	return scope, scope.Close, nil
}

// ForEachColumn is [Work.ForEach] of the columns.
func (w *Work) ForEachColumn(ctx context.Context, of func(j int) float64) ([]float64, error) {
	return w.ForEach(ctx, len(w.Columns()), 256, of)
}

// ForEach is one number for each of 0…count−1, computed on all processors, so many of them at a time, and reported from this goroutine.
// What of does must depend on its argument alone. It ends early, with an error of kind Interrupted, where ctx is cancelled.
func (w *Work) ForEach(ctx context.Context, count, size int, of func(j int) float64) ([]float64, error) {
	numbers := make([]float64, count)
	pieces := (len(numbers) + size - 1) / size
	finished := make(chan int, pieces)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(pieces, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				from := (int(next.Add(1)) - 1) * size
				if from >= len(numbers) {
					return
				}
				to := min(from+size, len(numbers))
				for j := from; j < to; j++ {
					numbers[j] = of(j)
				}
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
		w.Report(done, len(numbers))
	}
	return numbers, w.Interrupted(ctx)
}
