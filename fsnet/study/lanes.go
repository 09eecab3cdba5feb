package study

import (
	"context"
	"sync"
	"time"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/train"
)

// fsNetFit is what a training of FsNet for a row came to.
type fsNetFit struct {
	selected     []int // columns of the file, by rank
	seconds      float64
	own, modelKB *float64 // nil if the network uses the features of all K
	err          error
}

// fitFsNet trains the FsNet m for a row. open opens the training with the
// given settings. If ctx is canceled, the fit may have neither features nor an
// error.
func (p *Plan) fitFsNet(ctx context.Context, m Method, row Row, open func(config.Settings) (*train.Training, error)) (fit fsNetFit) {
	start := time.Now()
	t, err := open(p.cellSettings(m, row))
	if err != nil {
		return fsNetFit{err: err}
	}
	if err := p.checkUnchanged(p.dataOf(row), m); err != nil {
		t.Close()
		return fsNetFit{err: err}
	}

	fit.err = fsnet.ToEnd(ctx, t, nil, func() error {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // Run reports the interruption
		}
		fit.seconds = seconds(start)
		selected, err := t.Selection()
		if err != nil {
			return err
		}
		for _, s := range selected {
			fit.selected = append(fit.selected, s.Index)
		}
		if m.nested {
			return nil
		}
		test, err := t.Evaluate("test")
		fit.own, fit.modelKB = &test.Score.Value, new(t.Status().ModelKB)
		return err
	})
	return fit
}

// trainingOf identifies the training of a row. The rows of a path share one
// per split.
func (p *Plan) trainingOf(m Method, row Row) cellKey {
	key := row.key()
	key.k = p.cellSettings(m, row).K
	return key
}

// trainAhead trains the FsNet of a row together with those of later rows, if
// one program makes the steps of several trainings ([sharing]). It keeps what
// they came to in r.ahead. Whether a training has company does not change its
// result, so rows do not depend on the parts that a plan is divided into.
func (r *planRun) trainAhead(ctx context.Context, cell Row, stage func(baseline.Progress)) {
	p, m := r.plan, r.plan.method(cell.Method)
	data := p.dataOf(cell)
	if _, done := r.ahead[p.trainingOf(m, cell)]; done || data.Sparse() {
		return
	}
	atOnce, lanes, _ := sharing(ctx, r.device, engine.PlanMemory(data, p.cellSettings(m, cell), r.device.Name), 0, p.lanes)
	if lanes == 1 {
		return
	}

	group := r.alike(m, cell, lanes)
	fits := make([]fsNetFit, len(group))
	start := time.Now()
	var mu sync.Mutex
	done := 0
	err := sideBySide(ctx, r.device, len(group), atOnce, lanes, func(i int, on *device.Device) {
		fits[i] = p.fitFsNet(ctx, m, group[i], func(s config.Settings) (*train.Training, error) {
			return train.Open(ctx, on, p.dataOf(group[i]), s)
		})
		mu.Lock()
		defer mu.Unlock()
		done++
		stage(baseline.Progress{Stage: "trainings in one program", Done: done, Total: len(group)})
	})
	if err != nil || ctx.Err() != nil {
		return // the row reports it
	}

	each := time.Since(start) / time.Duration(len(group))
	for i, row := range group {
		fits[i].seconds = each.Round(time.Millisecond).Seconds()
		r.ahead[p.trainingOf(m, row)] = fits[i]
	}
}

// alike returns a row and up to most−1 later ones whose trainings are different
// ones of the same FsNet and shape.
func (r *planRun) alike(m Method, cell Row, most int) []Row {
	type shape struct{ k, features, rows int }
	shapeOf := func(row Row) shape {
		data, settings := r.plan.dataOf(row), r.plan.cellSettings(m, row)
		parts, err := dataset.Split(data, settings)
		if err != nil {
			return shape{} // the row reports it
		}
		return shape{settings.K, data.D, len(parts.Train)}
	}

	group, want := []Row{cell}, shapeOf(cell)
	listed := map[cellKey]bool{r.plan.trainingOf(m, cell): true}
	for _, row := range r.todo {
		key := r.plan.trainingOf(m, row)
		_, done := r.ahead[key]
		if row.Method != m.Name || done || listed[key] || shapeOf(row) != want {
			continue
		}
		if listed[key] = true; len(group) == most {
			break
		}
		group = append(group, row)
	}
	return group
}
