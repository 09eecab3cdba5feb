package train

import (
	"context"
	"fmt"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/memory"
)

var (
	_ method.SparseTable = table{}
	_ engine.Batches     = batches{}
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

// fewer is some of n rows, evenly spread.
func fewer(n, most int) []int {
	rows := make([]int, min(n, most))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	return rows
}

// pick takes some of a list.
func pick[T any](list []T, which []int) []T {
	picked := make([]T, len(which))
	for i, at := range which {
		picked[i] = list[at]
	}
	return picked
}

// openRows gives the engine the training rows: dense, or as steps need them where they are sparse and would take more than most numbers.
// settings get what the data decide, and why says it.
func (t *Training) openRows(ctx context.Context, most int) (why string, err error) {
	rows, d, y := t.data.Parts.Train, len(t.columns), t.target.Target
	var view *sparse.View
	if t.data.Sparse() {
		if view, err = t.data.Narrow(ctx, t.columns, mostStored()); err != nil {
			return "", err
		}
	}
	streamed := view != nil && len(rows)*d > most
	looked := rows // of which the training decides what suits it
	if streamed {
		looked = pick(rows, fewer(len(rows), max(engine.StreamedLook/d, 1)))
	}
	x, err := t.gather(ctx, looked, 0)
	if err != nil {
		return "", err
	}
	suits := func() bool {
		return method.SuitsConditional(x, d, y.Only(fewer(len(rows), len(looked))), t.settings.K)
	}
	t.settings, why = t.settings.ForData(len(rows), d, y.Classes, suits)
	t.settings = t.settings.Paced(len(rows), len(t.data.Parts.Test))
	if t.settings.Prior == config.Conditional && d > config.MostConditional && len(rows) >= config.FewRows {
		return "", fault.New(fault.Request, fmt.Sprintf("use screen=%d or less, or prior=learned", config.MostConditional),
			"prior = conditional reads d² numbers, but %d features remain after screening", d)
	}
	a := method.NewArchitecture(t.settings, len(rows), d, y.Classes)
	if !streamed {
		phi := method.EmbedTarget(t.settings, x, d, y, t.data.TrainWeights)
		t.engine, err = engine.New(t.device, a, t.settings.Seed, phi, x, y, t.tilted(a.K))
		return why, err
	}
	phi, err := method.EmbedTable(t.settings, table{ctx, view, rows}, y, t.data.TrainWeights)
	if err != nil {
		return "", fault.Wrap(err, fault.Failed, "check the file that the data are in, and the disk that it is on",
			"%s cannot be read", t.data.Name)
	}
	t.engine, err = engine.NewStreamed(t.device, a, t.settings.Seed, phi, batches{view, rows}, y, t.tilted(a.K))
	return why, err
}
