package study

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Run makes the rows of a comparison on a device, in the order of Cells; of a plan that was narrowed ([Plan.Part], [Plan.Choose]) those
// alone. Rows that are there already are taken from made, which may be nil; one with an error is made again. What Check refuses Run refuses.
// report may be nil; it is called before and after each row, and where a program says how far it is, at most once a second. An error that
// it returns ends the run.
//
// A method that fails on a split has a row with the error, and the others go on. Where the context is cancelled Run returns the rows
// made so far and an error of kind Interrupted. Where all rows failed the error is the first one's. Any other error is one of the device or
// of report.
func (p *Plan) Run(ctx context.Context, on *device.Device, made []Row, report func(Progress) error) ([]Row, error) {
	if err := p.Check(on.Name, made); err != nil {
		return nil, err
	}
	have := make(map[cellKey]Row, len(made))
	for _, row := range made {
		if row.Error == "" { // else it is tried again
			have[row.key()] = row
		}
	}
	r := &planRun{plan: p, device: on, neural: device.ScopeOn(on)}
	defer r.neural.Close()
	defer p.closePrograms()
	cells := p.Cells()
	if report == nil {
		report = func(Progress) error { return nil }
	}
	var left pace
	now := Progress{}
	for _, c := range cells { // so that it is known what is to come
		row, ok := have[c.key()]
		if ok {
			left.took(c, time.Duration(row.Seconds*float64(time.Second)))
		}
		if !p.asked(c) {
			continue
		}
		if now.Total++; ok {
			now.Done++
		} else {
			left.todo(c, 1)
		}
	}
	var rows []Row
	var failed []error
	for i, cell := range cells {
		if row, ok := have[cell.key()]; ok {
			rows = append(rows, row)
			continue
		}
		if !p.asked(cell) {
			continue
		}
		now.Cell, now.Finished, now.Left, now.Share = cell, nil, left.left(), float64(now.Done)/float64(now.Total)
		if err := report(now); err != nil {
			return append(rows, kept(cells[i:], have)...), err
		}
		start := time.Now()
		row := r.row(ctx, cell, stageOf(now, report))
		if ctx.Err() != nil {
			return append(rows, kept(cells[i:], have)...), fault.New(fault.Interrupted, "", "interrupted with %d of %s done", now.Done, count.Of(now.Total, "fit"))
		}
		left.todo(cell, -1)
		left.took(cell, time.Since(start))
		rows = append(rows, row)
		have[cell.key()] = row
		if now.Done++; row.err != nil {
			now.Failed++
			failed = append(failed, row.err)
		}
		now.Finished, now.Left, now.Share = &row, left.left(), float64(now.Done)/float64(now.Total)
		if err := report(now); err != nil {
			return append(rows, kept(cells[i+1:], have)...), err
		}
	}
	if len(rows) > 0 && len(failed) == len(rows) {
		return rows, failed[0]
	}
	return rows, nil
}

// kept are the rows of cells that are there already.
func kept(cells []Row, have map[cellKey]Row) []Row {
	var rows []Row
	for _, c := range cells {
		if row, ok := have[c.key()]; ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// planRun is what one Run holds open: the methods' programs, and a prepared split.
type planRun struct {
	plan   *Plan
	device *device.Device
	neural *device.Scope // the same, with those programs
	at     *splitPart
}

// stageOf reports the stages of a fit.
func stageOf(progress Progress, report func(Progress) error) func(baseline.Progress) {
	var said time.Time
	return func(of baseline.Progress) {
		if time.Since(said) < time.Second {
			return
		}
		said = time.Now()
		progress.Stage = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d", of.Stage, of.Done, of.Total), ", ")
		_ = report(progress) // the next report, after the row, has the same error
	}
}

// row makes the figures of a cell, or says in it why there are none.
func (r *planRun) row(ctx context.Context, cell Row, stage func(baseline.Progress)) Row {
	part, method := r.part(ctx, cell), r.plan.method(cell.Method)
	part.stage = stage
	cell.Device = r.device.Name
	row, err := cell, part.err
	switch {
	case err != nil:
	case method.fitter == nil:
		err = part.train(ctx, method, r.device, r.neural, &row)
	default:
		err = part.fit(ctx, method, r.neural, &row)
	}
	if what := row.noNumber(); err == nil && what != "" {
		err = fault.New(fault.Failed, "bring the features and the label to a usual scale", "%s: its %s is not a number", cell.Method, what)
	}
	if err != nil {
		return cell.failed(err)
	}
	return row
}

// part is the split of a cell. The one before it is let go.
func (r *planRun) part(ctx context.Context, cell Row) *splitPart {
	if r.at != nil && r.at.of == cell.Dataset && r.at.settings.Seed == cell.Seed {
		return r.at
	}
	r.at = nil // let it go before there is another
	r.at = newSplitPart(ctx, r.plan, r.plan.judge(), cell)
	r.at.files = r.plan.files[cell.Dataset]
	return r.at
}

func (p *Plan) method(name string) Method {
	for _, m := range p.Methods {
		if m.Name == name {
			return m
		}
	}
	panic("study: a cell of no method of the plan")
}
