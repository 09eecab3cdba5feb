package baseline

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// Work is a Fit in progress.
type Work struct {
	Entry
	Options
	Data  Data
	Stage string // what is being done

	// the columns of Data; nil until they are needed
	columns [][]float64
}

// Begin returns the Work of a Fit in its first stage. Every Fit should begin
// with it. It rejects data and options that the method cannot be fitted to,
// and sizes that do not fit into memory. Errors are of kind Request.
func Begin(m Method, data Data, o Options, stage string) (*Work, error) {
	e := m.Entry()
	if err := data.check(e); err != nil {
		return nil, err
	}
	if err := o.checkK(e, data.Width()); err != nil {
		return nil, err
	}
	return &Work{Entry: e, Options: o, Data: data, Stage: stage}, CheckMemory(e, len(data.Rows), data.Width())
}

// Columns returns the columns of the data, see [Data.Columns].
func (w *Work) Columns() [][]float64 {
	if w.columns == nil {
		w.columns = w.Data.Columns()
	}
	return w.columns
}

// Report reports how many steps of the stage are done.
func (w *Work) Report(done, total int) {
	if w.Progress != nil {
		w.Progress(Progress{w.Stage, done, total})
	}
}

// Quiet returns a copy of the work that reports no progress.
func (w *Work) Quiet() *Work {
	quiet := *w
	quiet.Progress = nil
	return &quiet
}

// Interrupted returns an error if ctx was canceled, and nil otherwise.
func (w *Work) Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return errs.New(errs.Interrupted, "", "%s: interrupted (%s)", w.Name, w.Stage)
}

// OpenDevice returns Options.Device or, if that is nil, opens a device for
// this Fit. The caller must call done when it no longer needs the device.
func (w *Work) OpenDevice(ctx context.Context) (scope *device.Scope, done func(), err error) {
	if w.Device != nil {
		return w.Device, func() {}, nil
	}
	if scope, err = device.OpenScope(ctx, "auto"); err != nil {
		return nil, nil, err
	}
	return scope, scope.Close, nil
}

// MapColumns is [Work.Map] over the columns.
func (w *Work) MapColumns(ctx context.Context, of func(j int) float64) ([]float64, error) {
	return w.Map(ctx, len(w.Columns()), 256, of)
}

// Map returns of(j) for each j of 0…count−1, computed on all processors in
// pieces of the given size. It reports progress from the caller's goroutine.
// of must depend on nothing but its argument. If ctx is canceled, Map stops
// early and returns an error of kind Interrupted.
func (w *Work) Map(ctx context.Context, count, size int, of func(j int) float64) ([]float64, error) {
	numbers := make([]float64, count)
	pieces := (len(numbers) + size - 1) / size
	finished := make(chan int, pieces)

	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(pieces, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				from := (int(next.Add(1)) - 1) * size
				if from >= len(numbers) {
					return
				}
				to := min(from+size, len(numbers))
				for j := from; j < to; j++ {
					numbers[j] = of(j)
				}
				finished <- to - from
			}
		})
	}

	go func() {
		workers.Wait()
		close(finished)
	}()

	done := 0
	for made := range finished {
		done += made
		w.Report(done, len(numbers))
	}
	return numbers, w.Interrupted(ctx)
}

// Constant reports whether all numbers of a column are equal.
func Constant(column []float64) bool {
	return !slices.ContainsFunc(column, func(x float64) bool { return x != column[0] })
}

// Varying returns the columns that are not constant, ordered by their
// contents. If you draw columns at random by their position in this order, a
// draw does not depend on where columns stand in the data.
func (w *Work) Varying() []int {
	var order []int
	for j, column := range w.Columns() {
		if !Constant(column) {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(w.columns[a], w.columns[b]) })
	return order
}

// ByScore orders features by falling score, then by column.
func ByScore(a, b Feature) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}

// byScore returns all columns by falling score. Ties go to the first column,
// and constant columns come last. varying is the number of columns that are
// not constant.
func (w *Work) byScore(scores []float64) (order []int, varying int) {
	var constant []int
	for j, column := range w.Columns() {
		if Constant(column) {
			constant = append(constant, j)
		} else {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return append(order, constant...), len(order)
}

// Top returns the k columns with the highest scores. Ties go to the first
// column. There are fewer than k if fewer columns vary.
func (w *Work) Top(scores []float64, k int) []Feature {
	order, varying := w.byScore(scores)
	selected := make([]Feature, min(k, varying))
	for r := range selected {
		selected[r] = Feature{Index: order[r], Score: scores[order[r]]}
	}
	return selected
}

// RankedPath returns the models of the columns with the highest scores, one
// for each K of ks.
func (w *Work) RankedPath(scores []float64, ks []int) []*Model {
	models := make([]*Model, len(ks))
	for i, k := range ks {
		w.K = k
		models[i] = w.Ranked(scores)
	}
	return models
}

// Ranked returns the model of the K columns with the highest scores.
func (w *Work) Ranked(scores []float64) *Model { return w.Filled(w.Top(scores, w.K), scores) }

// Filled returns the model of the selected features, filled up to K with
// other columns. Those with the highest relevance come first (if relevance
// is nil, all are equal), then constant ones. Their score is 0, or the last
// score if that is lower.
func (w *Work) Filled(selected []Feature, relevance []float64) *Model {
	m := &Model{Method: w.Name, Features: w.Data.Width()}
	if m.Selected = selected; len(selected) >= w.K {
		return m
	}

	if relevance == nil {
		relevance = make([]float64, m.Features)
	}
	taken := make([]bool, m.Features)
	floor := 0.0
	for _, f := range selected {
		taken[f.Index] = true
		floor = min(floor, f.Score)
	}

	order, _ := w.byScore(relevance)
	for _, j := range order {
		if len(selected) < w.K && !taken[j] {
			selected = append(selected, Feature{Index: j, Score: floor, Padding: true})
		}
	}

	m.Selected = selected
	return m
}

// Need returns the least memory of a Fit, in bytes: a second copy of the
// data, for [Work.Columns], and for a method that is Square a number for
// each pair of rows.
func Need(e Entry, rows, features int) int64 {
	n, d := int64(rows), int64(features)
	if e.Square {
		d += n
	}
	return 8 * n * d
}

// CheckMemory rejects a Fit that does not fit into memory before it
// allocates anything large. If the free memory is unknown, it accepts any
// Fit.
func CheckMemory(e Entry, rows, features int) error {
	free, need := system.AvailableMemory(), Need(e, rows, features)
	if free == nil || need <= free.Bytes {
		return nil
	}
	return e.Refusal("use fewer rows or features, or a machine with more memory", "%s of %s need at least %s, but %s are %s",
		phrase.Count(rows, "row"), phrase.Count(features, "feature"), system.Bytes(need), system.Bytes(free.Bytes), free.Source)
}
