package engine

import (
	"context"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/errs"
)

// Batches gives training rows, scaled, in the order of the graph's features, as steps need them. Several goroutines may ask at once.
type Batches interface {
	// Gather makes rows dense, in any order and as often as they are named: into is rows×width, and what lies beyond the features stays.
	Gather(ctx context.Context, rows []int, width int, into []float32) error
}

// How much of a training is looked at in whole, and how much in parts.
const (
	MostDense  = 16 << 20 // numbers of the training rows of sparse data that are made dense; more are streamed
	MostLooked = 16 << 20 // numbers of rows of sparse data that are evaluated at once
	MostStored = 1 << 30  // bytes of what remains of sparse data after screening that are kept in memory; more go to a temporary file
)

// streamRoom is how many numbers of batches travel to the device in one call: there are two such buffers, one of which is filled while the
// device computes with the other.
const streamRoom = 2 << 20

// stream is what an engine has of the batches to come.
type stream struct {
	next *batches
	free []float32 // a buffer that nobody fills
}

// batches are those of some steps.
type batches struct {
	start, count int
	x            []float32 // capacity×B×width
	err          error
	filled       sync.WaitGroup
}

// covers says that what is being gathered is what these steps need.
func (b *batches) covers(start, count int) bool {
	return b != nil && b.start == start && b.count >= count
}

// gather begins to fill the batches of count steps.
func (e *Engine) gather(start, count, capacity int) *batches {
	rows, _ := e.batch(start, count, count)
	list := make([]int, len(rows))
	for i, row := range rows {
		list[i] = int(row)
	}
	b := &batches{start: start, count: count, x: e.stream.free}
	if size := capacity * e.Layout.B * e.Layout.Width(); len(b.x) != size {
		b.x = make([]float32, size)
	}
	e.stream.free = nil
	width := e.Layout.Width()
	b.filled.Go(func() { b.err = e.inputs.stream.Gather(context.Background(), list, width, b.x) })
	return b
}

// streamed is the batches of the steps on the device, T×B×width. Those of the steps after them are gathered while it computes. The caller
// frees them.
func (e *Engine) streamed(start, count, capacity int) (*tensors.Tensor, error) {
	now := e.stream.next
	if !now.covers(start, count) {
		e.endStream()
		now = e.gather(start, count, capacity)
	}
	e.stream.next = nil
	now.filled.Wait()
	if now.err != nil {
		e.stream.free = now.x
		return nil, errs.Wrap(now.err, errs.Failed, "check the file that the data are in, and the disk that it is on",
			"reading the rows of steps %d to %d", start, start+count-1)
	}
	x, err := e.device.Upload(now.x, capacity, e.Layout.B, e.Layout.Width())
	e.stream.free = now.x
	return x, err
}

// ahead gathers the batches after those of a call.
func (e *Engine) ahead(start, capacity int) {
	if e.inputs.stream != nil && e.stream.next == nil {
		e.stream.next = e.gather(start, capacity, capacity)
	}
}

// endStream waits for what is being gathered, which nobody wants.
func (e *Engine) endStream() {
	if e.stream.next != nil {
		e.stream.next.filled.Wait()
		e.stream.free, e.stream.next = e.stream.next.x, nil
	}
}
