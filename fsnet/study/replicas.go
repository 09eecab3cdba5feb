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
	// AtOnce is the number of concurrent trainings. If they do not fit into
	// memory, the error is of kind Request. 0 means as many as fit and keep
	// the machine busy: one for each core within a container's limits, and
	// on a GPU as many as one program makes together, or at most eight.
	AtOnce int
	lanes  int // see sharing; 0 unless a test wants some
	// Save returns the path of a replica's model. The model is written as
	// soon as the replica is complete. Save may be nil.
	Save func(seed int64) string
}

// Replicate makes the requested rows of a plan of replicas, except those in
// made, and returns all in the order of their seeds. A row does not depend on
// how many are trained concurrently, or on which. On a processor it has the
// same bits as a single fit with its settings. On a GPU, where one program
// makes the steps of several trainings, it differs from a single fit by
// rounding.
//
// If a replica fails, its row has the error, and the others continue. If ctx
// ends, Replicate returns the completed rows and an error of kind
// Interrupted. If report returns an error, Replicate returns the completed
// rows and that error. report may be nil. It is called now and then, one
// call at a time, and a last time when nothing is running.
func (p *Plan) Replicate(ctx context.Context, on *device.Device, made []Row, o ReplicaOptions, report func(Progress) error) ([]Row, error) {
	cells := p.Cells()
	have, todo, err := p.remaining(on.Name, cells, made)
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
		atOnce, lanes, err := p.atOnce(ctx, on, min(o.AtOnce, len(todo)), o.lanes, t)
		if err != nil {
			return existing(cells, have), err
		}
		var mu sync.Mutex
		err = sideBySide(running, on, len(todo), atOnce, lanes, func(i int, on *device.Device) {
			row := todo[i]
			row.Device = on.Name
			t.atStep(i, 0, 0)
			fit, err := p.replica(running, on, row, o.Save, func(s session.Status) error { t.atStep(i, s.Step, s.Steps); return nil })
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
		if err != nil && running.Err() == nil {
			return existing(cells, have), err
		}
	}
	switch {
	case ctx.Err() == nil: // nil, or the error of report
		err = context.Cause(running)
	case t.now.Done < len(todo):
		err = errs.New(errs.Interrupted, "", "interrupted with %d of %s done", t.now.Done, phrase.Count(len(todo), "replica"))
	}
	return existing(cells, have), err
}

// atOnce is sharing for the plan. If memory holds fewer trainings than wanted,
// the error is of kind Request, but for 0 the number is smaller, and t reports
// why. t gets the number, too.
func (p *Plan) atOnce(ctx context.Context, on *device.Device, wanted, lanes int, t *tracker) (int, int, error) {
	plan := engine.PlanMemory(p.Data[0], p.cellSettings(p.Methods[0], p.Cells()[0]), on.Name)
	fit, lanes, why := sharing(ctx, on, plan, wanted, lanes)
	switch {
	case why != "" && wanted > 0:
		return 0, 0, errs.New(errs.Request, fmt.Sprintf("use at most %d", fit), "%d trainings do not fit into memory together: %s", wanted, why)
	case why != "":
		t.note(fmt.Sprintf("%s at once, since %s", phrase.Count(fit, "training"), why))
	}
	t.workers(min(fit, t.works))
	return fit, lanes, nil
}

// sharing is the one place that decides how trainings of a plan share a device.
// It returns how many run at once, and for how many a program has places, which
// is 1 if each makes its calls alone. wanted limits the first, and 0 asks for as
// many as keep the machine busy. lanes is the second, or 0 if the plan decides.
// why says why memory holds fewer than wanted. Otherwise it is "".
func sharing(ctx context.Context, on *device.Device, plan engine.MemoryPlan, wanted, lanes int) (atOnce, places int, why string) {
	if lanes == 0 {
		lanes = plan.Lanes(ctx)
	}
	switch {
	case lanes > 1:
		plan.Device = 0 // the plan of lanes counted the GPU's memory for all
		if wanted = min(wanted, lanes); wanted == 0 {
			wanted = lanes
		}
	case wanted == 0:
		wanted = busyTrainings(on, system.CPUQuota(os.DirFS("/")))
	}
	atOnce, why = plan.SideBySide(ctx, wanted)
	return atOnce, lanes, why
}

// mostOnGPU limits the trainings that share a GPU with a client each. Eight
// made 4.8 times as many steps a second as one (docs/lab/performance.md). We
// have not measured more.
const mostOnGPU = 8

// busyTrainings returns how many trainings with a client each keep a device
// busy within a quota of cores. 0 means no quota. On a GPU each also needs a
// core, because that starts its kernels.
func busyTrainings(on *device.Device, quota float64) int {
	count := runtime.GOMAXPROCS(0) // GOMAXPROCS respects limits, but is at least 2 on two cores.
	if quota > 0 {
		count = min(count, int(math.Ceil(quota)))
	}
	if on.Name == "xla:cuda" {
		count = min(count, mostOnGPU)
	}
	return count
}

// replica makes one fit. If ctx has not ended and save names a file for the
// seed, it saves the model there. save may be nil.
func (p *Plan) replica(ctx context.Context, on *device.Device, cell Row, save func(int64) string, report func(session.Status) error) (result *fsnet.Result, err error) {
	d, m := p.Data[0], p.Methods[0]
	t, err := train.Open(ctx, on, d, p.cellSettings(m, cell))
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

// sideBySide does the work of every i below n, atOnce at a time, until ctx
// ends. With several lanes the trainings make their steps in one program, which
// has as many places. Otherwise, with XLA, each concurrent training has a
// client of its own, because a client runs the calls of its trainings one after
// the other. The error is one of opening these clients; then no work was done.
func sideBySide(ctx context.Context, on *device.Device, n, atOnce, lanes int, work func(i int, on *device.Device)) error {
	devices := []*device.Device{on}
	var shared *device.Lanes
	if lanes > 1 {
		shared = on.NewLanes(lanes)
		defer shared.Close()
		devices, atOnce = nil, min(atOnce, lanes)
	}
	for len(devices) < min(n, atOnce) {
		d := on
		switch {
		case shared != nil:
			d = shared.Device()
		case on.Name != "go":
			var err error
			if d, err = device.Open(ctx, on.Name); err != nil {
				return err
			}
			defer d.Close()
		}
		devices = append(devices, d)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for _, d := range devices {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i, d)
			}
		})
	}
	group.Wait()
	return nil
}
