package study

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// ReplicaOptions are the options of Replicate.
type ReplicaOptions struct {
	// AtOnce is the number of concurrent trainings; if they do not fit into memory the error is of
	// kind Request. 0 means as many as fit and keep the machine busy: one for each core within a
	// container's limits, or one on a GPU.
	AtOnce int
	Save   func(seed int64) string // returns the file for a replica's model, written as soon as it is done; nil for none
}

// Replicate makes the requested rows of a plan of replicas, except those in made, and returns all
// in the order of their seeds. A row has the bits of a single fit with its settings on that device,
// however many are trained concurrently.
//
// A replica that fails has a row with the error, and the others continue. If ctx ends, Replicate
// returns the rows that are done and an error of kind Interrupted; likewise with an error of
// report. report may be nil; it is called now and then, one call at a time, and last when nothing
// is running.
func (p *Plan) Replicate(ctx context.Context, on *device.Device, made []Row, o ReplicaOptions, report func(Progress) error) ([]Row, error) {
	have, todo, err := p.begin(on.Name, made)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t := newTracker(len(todo), len(todo), func(now Progress) {
		if report != nil {
			if err := report(now); err != nil {
				stop(errs.Of(err))
			}
		}
	})
	if len(todo) > 0 {
		atOnce, err := p.atOnce(ctx, on, min(o.AtOnce, len(todo)), t)
		if err != nil {
			return existing(p.Cells(), have), err
		}
		devices, closeAll, err := devicesLike(ctx, on, min(atOnce, len(todo)))
		if err != nil {
			return existing(p.Cells(), have), err
		}
		defer closeAll()
		var mu sync.Mutex
		sideBySide(running, len(todo), atOnce, func(i int) {
			on := <-devices
			defer func() { devices <- on }()
			row := todo[i]
			row.Device = on.Name
			t.at(i, 0, 0)
			fit, err := p.replica(running, on, row, o.Save, func(s session.Status) error { t.at(i, s.Step, s.Steps); return nil })
			if running.Err() != nil {
				return
			}
			steps := 0
			if row.Fit = fit; err != nil {
				row = row.failed(err)
			} else {
				steps = fit.Steps
			}
			mu.Lock()
			have[row.key()] = row
			mu.Unlock()
			t.end(i, steps, func(now *Progress) {
				if now.Done++; row.Error != "" {
					now.Failed++
				}
				now.Finished = &row
			})
		})
		t.stop()
	}
	if running.Err() != nil && t.now.Done < len(todo) {
		if err = context.Cause(running); ctx.Err() != nil {
			err = errs.New(errs.Interrupted, "", "interrupted with %d of %s done", t.now.Done, phrase.Count(len(todo), "replica"))
		}
	}
	return existing(p.Cells(), have), err
}

// devicesLike returns a device for each of count trainings, like the one that is open. On xla:cpu
// each gets its own client, since a client serialises the calls of its trainings; elsewhere all
// share the device. closeAll closes the devices opened here.
func devicesLike(ctx context.Context, on *device.Device, count int) (devices chan *device.Device, closeAll func(), err error) {
	devices = make(chan *device.Device, count)
	var more []*device.Device
	closeAll = func() {
		for _, d := range more {
			d.Close()
		}
	}
	for devices <- on; len(devices) < count; {
		d := on
		if on.Name == "xla:cpu" {
			if d, err = device.Open(ctx, on.Name); err != nil {
				closeAll()
				return nil, nil, err
			}
			more = append(more, d)
		}
		devices <- d
	}
	return devices, closeAll, nil
}

// atOnce returns the number of concurrent trainings, at most wanted; 0 wants as many as keep the
// machine busy.
func (p *Plan) atOnce(ctx context.Context, on *device.Device, wanted int, t *tracker) (int, error) {
	asked := wanted > 0
	plan := engine.PlanMemory(p.Data[0], p.at(p.Methods[0], p.Cells()[0]), on.Name)
	if !asked {
		if wanted = busyTrainings(system.CPUQuota(os.DirFS("/"))); plan.Backend == "xla:cuda" {
			wanted = 1
		}
	}
	fit, why := plan.SideBySide(ctx, wanted)
	switch {
	case fit < wanted && asked:
		return 0, errs.New(errs.Request, fmt.Sprintf("use at most %d", fit), "%d trainings do not fit into memory together: %s", wanted, why)
	case fit < wanted:
		t.say(fmt.Sprintf("%d trainings at once instead of %d, since %s", fit, wanted, why))
	}
	t.workers(min(fit, t.works))
	return fit, nil
}

// busyTrainings returns how many trainings keep this machine busy within a quota of cores; 0 is no
// quota.
func busyTrainings(quota float64) int {
	count := runtime.GOMAXPROCS(0) // respects limits, but is at least 2 on two cores
	if quota > 0 {
		count = min(count, int(math.Ceil(quota)))
	}
	return count
}

// replica makes one fit, and saves its model if a file is requested.
func (p *Plan) replica(ctx context.Context, on *device.Device, cell Row, save func(int64) string, report func(session.Status) error) (result *fsnet.Result, err error) {
	d, m := p.Data[0], p.Methods[0]
	t, err := train.Open(ctx, on, d, p.at(m, cell))
	if err != nil {
		return nil, err
	}
	if err := p.checkUnchanged(d, m); err != nil {
		t.Close()
		return nil, err
	}
	err = fsnet.ToEnd(ctx, t, report, func() error {
		var err error
		if result, err = fsnet.ResultOf(t, d.Source); err != nil || save == nil || save(cell.Seed) == "" || ctx.Err() != nil {
			return err
		}
		model, err := fsnet.ModelOf(t)
		if err != nil {
			return err
		}
		return model.Save(save(cell.Seed))
	})
	return result, err
}

// sideBySide does the work of every i below n, atOnce at a time, until ctx ends.
func sideBySide(ctx context.Context, n, atOnce int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, atOnce) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
}
