package study

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// mostAtOnce is how many fits go on at a time, at the most: a training of usual size keeps little more than one core busy, and all share the
// compiled program.
const mostAtOnce = 4

// atOnce is how many go on at a time: as many as there are cores and room in memory for.
func (f *halfFits) atOnce(ctx context.Context) int {
	count, _ := engine.PlanMemory(f.sample.table, f.settings, f.device.Name).Processes(ctx, min(mostAtOnce, runtime.GOMAXPROCS(0)))
	return count
}

// fit trains to the end and returns the columns of data that were chosen, by rank; half −1 is the single fit.
func (f *halfFits) fit(ctx context.Context, data *dataset.Dataset, settings config.Settings, half int) (columns []int, err error) {
	t, err := train.Open(ctx, f.device, data, settings)
	if err != nil {
		return nil, err
	}
	err = fsnet.ToEnd(ctx, t, func(s session.Status) error { f.at(half, s.Step, s.Steps); return nil }, func() error {
		selected, err := t.Selection()
		for _, s := range selected {
			columns = append(columns, s.Index)
		}
		return err
	})
	return columns, err
}

// inTurn fits the half-samples one after the other, a few at a time.
func (f *halfFits) inTurn(ctx context.Context) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range f.atOnce(ctx) {
		group.Go(func() {
			for {
				h := int(next.Add(1)) - 1
				if h >= len(f.picks) || ctx.Err() != nil {
					return
				}
				data, settings, err := f.sample.half(f.settings, h)
				var places []int
				if err == nil {
					places, err = f.fit(ctx, data, settings, h)
				}
				if err != nil && ctx.Err() != nil {
					return
				}
				f.end(h, places, err)
			}
		})
	}
	group.Wait()
}
