package engine

import (
	"context"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/errs"
)

// Batches gathers scaled training rows, with columns in the order of the
// graph. Goroutines may call it concurrently.
type Batches interface {
	// Gather writes rows, in any order and with repetitions, to into,
	// rows×width. It does not change the columns after the features.
	Gather(ctx context.Context, rows []int, width int, into []float32) error
}

// Limits on what is held in whole.
const (
	// Numbers of sparse training rows that are made dense. If there are
	// more, they are streamed.
	MostDense  = 16 << 20
	MostLooked = 16 << 20 // numbers of sparse rows that are evaluated at once
	// Bytes of screened sparse data that are kept in memory. If there are
	// more, they go to a temporary file.
	MostStored = 1 << 30
)

// streamRoom is the size of a buffer of batches in numbers. There are two
// buffers: one is filled while the device computes with the other.
const streamRoom = 2 << 20

// stream holds the batches of later steps.
type stream struct {
	next *batches
	free []float32 // a buffer that is not being filled
}

// batches holds the batches of some steps.
type batches struct {
	start, count int
	x            []float32 // capacity×B×width
	err          error
	filled       sync.WaitGroup
}

// gather begins to fill the batches of count steps in a goroutine. It uses
// the free buffer if that has the size for capacity steps.
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

// batches waits for the batches of these steps and returns them on the
// device, room×B×width. If all of them are among those gathered ahead and
// the buffer holds the room, it uses those. The caller must free the tensor.
func (e *Engine) batches(start, count, room int) (*tensors.Tensor, error) {
	capacity := e.capacity()
	now := e.stream.next
	if now == nil || start < now.start || start+count > now.start+now.count || start-now.start+room > capacity {
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

	one := e.Layout.B * e.Layout.Width()
	x, err := e.device.Upload(now.x[(start-now.start)*one:][:room*one], room, e.Layout.B, e.Layout.Width())
	if start+room < now.start+now.count { // The rest is for the next call.
		e.stream.next = now
	} else {
		e.stream.free = now.x
	}
	return x, err
}

// gatherAhead begins to fill the batches that follow a call, from start on,
// unless they are there.
func (e *Engine) gatherAhead(start int) {
	if e.stream.next == nil {
		e.stream.next = e.gather(start, e.capacity(), e.capacity())
	}
}

// endStream waits for batches that are no longer needed, and keeps their
// buffer.
func (e *Engine) endStream() {
	if e.stream.next != nil {
		e.stream.next.filled.Wait()
		e.stream.free, e.stream.next = e.stream.next.x, nil
	}
}
