package train

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/memory"
)

var (
	_ embedding.SparseTable = table{}
	_ engine.Batches        = batches{}
)

// table is the training rows of a sparse data set as the embedding reads them.
type table struct {
	ctx  context.Context // of the opening, in which it is used and forgotten
	view *sparse.View
	rows []int
}

func (t table) Width() int      { return t.view.Width() }
func (t table) Zero() []float32 { return t.view.Zero() }

func (t table) Each(look func(i, from int, values []float32)) error {
	return t.view.Each(t.ctx, t.rows, look)
}

func (t table) Columns(look func(j int, column []float64)) error {
	return t.view.EachColumn(t.ctx, t.rows, look)
}

func (t table) Stored(look func(i int, columns []int32, values []float32)) error {
	return t.view.Stored(t.ctx, t.rows, look)
}

// batches are the training rows of a sparse data set as steps need them.
type batches struct {
	view *sparse.View
	rows []int // of each training row: that of the data set
}

func (b batches) Gather(ctx context.Context, rows []int, width int, into []float32) error {
	list := make([]int, len(rows))
	for i, row := range rows {
		list[i] = b.rows[row]
	}
	return b.view.Gather(ctx, list, width, into)
}

// mostStored is how many bytes of the screened columns of a sparse data set are kept in memory; with more they go to a temporary file.
func mostStored() int64 {
	if free := memory.Available(); free != nil {
		return min(engine.MostStored, free.Bytes/4)
	}
	return engine.MostStored
}

// openRows gives the engine the training rows: dense, or as steps need them where they are sparse and would take more than most numbers.
// settings get the batch and the epochs that suit the rows.
func (t *Training) openRows(ctx context.Context, most int) error {
	rows, d, y := t.data.Parts.Train, len(t.columns), t.target.Target
	t.settings = t.settings.ForData(len(rows)).Paced(len(rows), len(t.data.Parts.Test))
	if t.settings.Stepwise() && d > config.MostConditional && len(rows) >= config.FewRows {
		return fault.New(fault.Request, fmt.Sprintf("use screen=%d or less, or protocol=%s", config.MostConditional, config.FsNet),
			"protocol = stepwise reads d² numbers, but %d features remain after screening", d)
	}
	var view *sparse.View
	if t.data.Sparse() {
		var err error
		if view, err = t.data.Narrow(ctx, t.columns, mostStored()); err != nil {
			return err
		}
	}
	a := method.NewArchitecture(t.settings, len(rows), d, y.Classes)
	if view == nil || len(rows)*d <= most {
		x, err := t.gather(ctx, rows, 0)
		if err != nil {
			return err
		}
		phi, err := method.Embed(t.settings, embedding.Dense{X: x, D: d}, y, t.data.TrainWeights)
		if err != nil {
			return err
		}
		t.engine, err = engine.New(t.device, a, t.settings.Seed, phi, x, y, t.tilted(a.K))
		return err
	}
	phi, err := method.Embed(t.settings, table{ctx, view, rows}, y, t.data.TrainWeights)
	if err != nil {
		return fault.Wrap(err, fault.Failed, "check the file that the data are in, and the disk that it is on",
			"%s cannot be read", t.data.Name)
	}
	t.engine, err = engine.NewStreamed(t.device, a, t.settings.Seed, phi, batches{view, rows}, y, t.tilted(a.K))
	return err
}
