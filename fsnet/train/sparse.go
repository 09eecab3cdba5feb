package train

import (
	"context"

	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/internal/system"
)

var (
	_ embedding.SparseTable = table{}
	_ engine.Batches        = batches{}
)

// table lets the embedding read the training rows of a sparse data set. It is
// an [embedding.Sparse].
type table struct {
	ctx  context.Context // context of Open, which the table does not outlive
	view *sparse.View
	rows []int
}

func (t table) Width() int { return t.view.Width() }

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

// batches lets the engine read the training rows of a sparse data set, a batch
// at a time.
type batches struct {
	view *sparse.View
	rows []int // rows of the data set, by training row
}

func (b batches) Gather(ctx context.Context, rows []int, width int, into []float32) error {
	return b.view.Gather(ctx, pick(b.rows, rows), width, into)
}

// mostStored returns how many bytes of the screened columns of a sparse data
// set may stay in memory. If they take more, they go to a temporary file.
func mostStored() int64 {
	if free := system.AvailableMemory(); free != nil {
		return min(engine.MostStored, free.Bytes/4)
	}
	return engine.MostStored
}
