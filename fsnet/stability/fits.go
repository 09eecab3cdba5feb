package stability

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

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
func (f *fits) atOnce(ctx context.Context) int {
	count, _ := engine.PlanMemory(f.sample.table, f.settings, f.device.Name).Processes(ctx, min(mostAtOnce, runtime.GOMAXPROCS(0)))
	return count
}

// fit trains to the end and returns the columns of data that were chosen, by rank.
func (f *fits) fit(ctx context.Context, data *dataset.Dataset, settings config.Settings,
	report func(share float64)) ([]int, error) {
	t, err := train.Open(ctx, f.device, data, settings)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := t.Run(ctx, func(s session.Status) { report(share(s)) }); err != nil {
		return nil, err
	}
	return columnsOf(t)
}

func columnsOf(t *train.Training) ([]int, error) {
	selected, err := t.Selection()
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(selected))
	for i, s := range selected {
		columns[i] = s.Index
	}
	return columns, nil
}

// inTurn fits the half-samples one after the other, a few at a time.
func (f *fits) inTurn(ctx context.Context) {
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
					places, err = f.fit(ctx, data, settings, func(share float64) { f.at(h, share) })
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
