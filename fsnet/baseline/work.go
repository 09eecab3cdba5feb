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

// Work is a Fit in progress.
type Work struct {
	Entry
	Options
	Data  Data
	Stage string // what is being done

	columns [][]float64
}

// Begin rejects data and options that a method cannot be fitted to, and sizes that do not fit into
// memory. Every Fit starts with it.
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

// Columns returns the transpose of the rows: d columns of n numbers.
func (w *Work) Columns() [][]float64 {
	if w.columns == nil {
		w.columns = w.Data.columns()
	}
	return w.columns
}

// Report reports how many steps of the stage are done.
func (w *Work) Report(done, total int) {
	if w.Progress != nil {
		w.Progress(Progress{w.Stage, done, total})
	}
}

// Quiet returns the same work without reports.
func (w *Work) Quiet() *Work {
	quiet := *w
	quiet.Progress = nil
	return &quiet
}

// Interrupted returns an error if ctx was cancelled, else nil.
func (w *Work) Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return errs.New(errs.Interrupted, "", "%s: interrupted (%s)", w.Name, w.Stage)
}

// OpenDevice returns Options.Device, or opens one for this Fit. Call done when it is no longer
// needed.
func (w *Work) OpenDevice(ctx context.Context) (scope *device.Scope, done func(), err error) {
	if w.Device != nil {
		return w.Device, func() {}, nil
	}
	if scope, err = device.OpenScope(ctx, "auto"); err != nil {
		return nil, nil, err
	}
	return scope, scope.Close, nil
}

// ForEachColumn is [Work.ForEach] over the columns.
func (w *Work) ForEachColumn(ctx context.Context, of func(j int) float64) ([]float64, error) {
	return w.ForEach(ctx, len(w.Columns()), 256, of)
}

// ForEach computes one number for each of 0…count−1 on all processors, in pieces of size, and
// reports progress from this goroutine. of must depend on its argument alone. If ctx is cancelled
// it ends early, with an error of kind Interrupted.
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

// Constant reports whether all numbers of a column are equal.
func Constant(column []float64) bool {
	return !slices.ContainsFunc(column, func(x float64) bool { return x != column[0] })
}

// Varying returns the columns that are not constant, ordered by their contents: random draws by
// position in this order follow a column wherever it stands in the data.
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

// ByScore compares by falling score, then by column.
func ByScore(a, b Feature) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}

// byScore orders all columns by falling score, ties to the first column; constant ones come last.
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

// Top returns the k columns of the highest scores, ties to the first column; fewer if fewer vary.
func (w *Work) Top(scores []float64, k int) []Feature {
	order, varying := w.byScore(scores)
	selected := make([]Feature, min(k, varying))
	for r := range selected {
		selected[r] = Feature{Index: order[r], Score: scores[order[r]]}
	}
	return selected
}

// Ranked returns the model of the K columns of the highest scores.
func (w *Work) Ranked(scores []float64) *Model { return w.Filled(w.Top(scores, w.K), scores) }

// Filled returns the model of the selected features. The other columns fill it up to K: those of
// the highest relevance first (nil means all equal), then constant ones. Their score is 0, or the
// last score if that is lower.
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

// Sizes holds what the memory of a Fit depends on, besides the settings of its method.
type Sizes struct {
	Rows, Features, Classes, K int
}

// CheckMemory rejects a Fit that does not fit into memory, before anything large is allocated. The
// error names what is needed, what is free, and what would fit. If the free memory is unknown it
// rejects nothing.
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

// smaller names sizes that would fit. A method may offer an Instead that takes less.
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

// Bytes returns the size of n×d numbers.
func Bytes(n, d, bytes int) int64 { return int64(n) * int64(d) * int64(bytes) }

// Transposed returns the size of [Work.Columns].
func (s Sizes) Transposed() int64 { return Bytes(s.Rows, s.Features, 8) }
