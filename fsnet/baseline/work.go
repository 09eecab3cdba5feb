package baseline

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// Work is a Fit under way.
type Work struct {
	Entry
	Options
	Data  Data
	Stage string // what is being done

	columns [][]float64
}

// Begin refuses data and options that a method cannot be fitted to, and those for which there is no room. Every Fit begins with it.
func Begin(ctx context.Context, m Method, data Data, o Options, stage string) (*Work, error) {
	e := m.Entry()
	if err := data.check(e); err != nil {
		return nil, err
	}
	if err := o.checkK(e, data.Width()); err != nil {
		return nil, err
	}
	err := CheckMemory(ctx, m, Sizes{len(data.Rows), data.Width(), data.Classes, o.K}, o)
	return &Work{Entry: e, Options: o, Data: data, Stage: stage}, err
}

// Columns is the transpose of the rows: d columns of n numbers.
func (w *Work) Columns() [][]float64 {
	if w.columns == nil {
		w.columns = w.Data.columns()
	}
	return w.columns
}

// Report says how many steps of the stage are done.
func (w *Work) Report(done, total int) {
	if w.Progress != nil {
		w.Progress(Progress{w.Stage, done, total})
	}
}

// Quiet is the same work without reports.
func (w *Work) Quiet() *Work {
	quiet := *w
	quiet.Progress = nil
	return &quiet
}

// Interrupted is nil, or says that ctx was cancelled.
func (w *Work) Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return errs.New(errs.Interrupted, "", "%s: interrupted (%s)", w.Name, w.Stage)
}

// OpenDevice is Options.Device, or one that is opened for this Fit. Call done when it is no longer needed.
func (w *Work) OpenDevice(ctx context.Context) (scope *device.Scope, done func(), err error) {
	if w.Device != nil {
		return w.Device, func() {}, nil
	}
	if scope, err = device.OpenScope(ctx, "auto"); err != nil {
		return nil, nil, err
	}
	return scope, scope.Close, nil
}

// ForEachColumn is [Work.ForEach] of the columns.
func (w *Work) ForEachColumn(ctx context.Context, of func(j int) float64) ([]float64, error) {
	return w.ForEach(ctx, len(w.Columns()), 256, of)
}

// ForEach is one number for each of 0…count−1, computed on all processors, so many of them at a time, and reported from this goroutine.
// What of does must depend on its argument alone. It ends early, with an error of kind Interrupted, where ctx is cancelled.
func (w *Work) ForEach(ctx context.Context, count, size int, of func(j int) float64) ([]float64, error) {
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

// Constant reports whether all numbers of a column are one.
func Constant(column []float64) bool {
	return !slices.ContainsFunc(column, func(x float64) bool { return x != column[0] })
}

// Varying are the columns that are not constant, by their contents: what is drawn by position in this order follows a column wherever it
// stands in the data.
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

// ByScore is the order of falling scores, and of columns where scores are equal.
func ByScore(a, b Feature) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}

// byScore is every column by falling score, ties to the first column. Constant ones come last.
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

// Top is the k columns of the highest scores, ties to the first column; fewer where fewer vary.
func (w *Work) Top(scores []float64, k int) []Feature {
	order, varying := w.byScore(scores)
	selected := make([]Feature, min(k, varying))
	for r := range selected {
		selected[r] = Feature{Index: order[r], Score: scores[order[r]]}
	}
	return selected
}

// Ranked is the model of the K columns of the highest scores.
func (w *Work) Ranked(scores []float64) *Model { return w.Filled(w.Top(scores, w.K), scores) }

// Filled is the model of the features that were selected. The other columns fill it up to K: those of the highest relevance first, which is
// the same for all where it is nil, then constant ones. They have the score 0, or the last score where that is lower.
func (w *Work) Filled(selected []Feature, relevance []float64) *Model {
	m := &Model{Method: w.Name, Features: w.Data.Width()}
	if w.K == 0 {
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

// Sizes are what the memory of a Fit depends on, besides the settings of its method.
type Sizes struct {
	Rows, Features, Classes, K int
}

// CheckMemory refuses a Fit for which there is no room, before anything large is taken: it names what is needed, what is there, and what
// would fit. Where nobody says how much memory there is it refuses nothing.
func CheckMemory(ctx context.Context, m Method, s Sizes, o Options) error {
	free, source := o.Memory, "allowed"
	if free == 0 {
		backend := "xla:cpu"
		if o.Device != nil {
			backend = o.Device.Name()
		}
		if free, source = engine.FreeMemory(ctx, backend); free < 0 {
			return nil
		}
	}
	need := m.Memory(s)
	if need <= free {
		return nil
	}
	return errs.New(errs.Request, smaller(m, s, free), "%s: %s of %s need %s more, but %s are %s",
		m.Entry().Name, phrase.Count(s.Rows, "row"), phrase.Count(s.Features, "feature"), system.Bytes(need), system.Bytes(free), source)
}

// smaller names what would fit. A method may have an Instead, which takes less.
func smaller(m Method, s Sizes, free int64) string {
	fits := func(m Method, s Sizes) bool { return m.Memory(s) <= free }
	var ways []string
	if other, ok := m.(interface{ Instead() Method }); ok && fits(other.Instead(), s) {
		ways = append(ways, other.Instead().Entry().Name)
	}
	if n := sort.Search(s.Rows, func(n int) bool { return !fits(m, Sizes{n + 1, s.Features, s.Classes, s.K}) }); n > 2*s.Classes {
		ways = append(ways, phrase.Count(n, "row"))
	}
	if d := sort.Search(s.Features, func(d int) bool { return !fits(m, Sizes{s.Rows, d + 1, s.Classes, s.K}) }); d > 0 && d >= s.K {
		ways = append(ways, phrase.Count(d, "feature"))
	}
	if len(ways) == 0 {
		return "close other programs, or use a machine with more memory"
	}
	return "these would fit: " + strings.Join(ways, "; or ")
}

// Bytes is what n×d numbers of some bytes take.
func Bytes(n, d, bytes int) int64 { return int64(n) * int64(d) * int64(bytes) }

// Transposed is what [Work.Columns] takes.
func (s Sizes) Transposed() int64 { return Bytes(s.Rows, s.Features, 8) }
