package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/internal/xlaplugin"
)

// MemoryPlan is what a training will take at the most, before it takes it, in bytes. It is a sum of
// sizes that are known and of factors that were measured: with XLA on the processor the process
// takes as much or up to a quarter less. On a GPU the host's factors were measured from 10⁴ to 10⁶
// features, the card's only at the default screening, both on one card (H100, driver 580, CUDA 13).
type MemoryPlan struct {
	Backend  string `json:"backend"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"` // d
	K        int    `json:"k"`
	Held     int64  `json:"held"`   // of the host, taken already when the training is opened: the program, the data as read
	Host     int64  `json:"host"`   // at the peak
	Device   int64  `json:"device"` // at the peak, 0 where the host is the device
}

// MaxCheckpoints is how many states a training keeps in memory at the most.
const MaxCheckpoints = 64

const mebibyte = 1 << 20

// use is the bytes of one place: always taken, or only while the training is opened, makes a step, or is looked at (a selection matrix, an
// evaluation), of which the largest counts.
type use struct{ always, opening, step, look int64 }

func (u use) peak() int64 { return u.always + u.largest() }

func (u use) largest() int64 { return max(u.opening, u.step, u.look) }

// PlanMemory plans a training on a data set that has been read. backend is the one that was opened: xla:cuda, xla:cpu or go.
//
// The plan is linear in d, and in K and the rows beside it. The factors are numbers of copies, found by measuring the largest resident set
// of a process for d from 10⁴ to 10⁶, K = 10 and 50, 72 and 400 rows.
func PlanMemory(data *dataset.Dataset, settings config.Settings, backend string) MemoryPlan {
	test := data.TestRows(settings.TestFraction)
	train := max(trainingRows(data, data.N-test, settings.RowsPerClass), 1)
	looked := max(test, data.N-test) // rows that are evaluated at once
	features := data.D
	if settings.Screen > 0 {
		features = min(features, settings.Screen)
	}
	a := method.NewArchitecture(settings.ForData(train), train, features, len(data.Classes))
	thin := data.Sparse() && data.Nuisance == nil // a nuisance makes sparse data dense
	streamed := thin && train*features > MostDense
	n, d, names := int64(data.N), int64(data.D), int64(0)
	for _, name := range data.Features {
		names += int64(len(name))
	}
	kept := func(count int) int64 { return 4 * int64(count) * int64(a.D) } // floats of the features that remain after screening

	program, weights, reconstructed, others, outputs := int64(325*mebibyte), 2, 1, 13, 3
	if backend == "go" { // no plugin, but nothing is fused, and what one program took is kept for the next
		program, weights, reconstructed, others, outputs = 52*mebibyte, 6, 6, 40, 12
	}
	host := new(use)
	device := host
	if backend == "xla:cuda" {
		device = new(use)
		program += 240 * mebibyte // an H100's process took 168 to 248 MB more than planned without: CUDA's libraries
	}

	held := program + 16*d + names
	whole := int64(0) // matrices, each taken at once: allocators keep nothing beside them
	switch {
	case data.Sparse():
		held += max(data.Bytes(), 1)
	default:
		held += 4 * n * d
		whole += 4 * n * d
	}
	host.always = held + 32*d + MaxCheckpoints*8*int64(a.Size()) // means, scales and order of the columns
	if thin {
		host.always += narrowed(data, features)
	} else {
		host.always += 4 * n * d // scaled
		whole += 4 * n * d
	}
	if data.Sparse() && !thin {
		host.always += 4 * n * d
	}
	device.always += kept(a.PhiRows()) // the embedding Φ
	if settings.Beforehand() {
		device.always += kept(a.K)
	}
	host.opening += 3*kept(a.PhiRows()) + (60+8*int64(len(data.Classes)))*d // the embedding and moments of the columns
	switch {
	case streamed: // batches on both sides; columns of the training rows, some at a time
		host.always += 2 * 4 * streamRoom
		device.always += 2 * 4 * streamRoom
		host.opening += min(kept(train), 4*sparse.ColumnValues)
	case thin:
		device.always += kept(train)
		host.opening += 3 * kept(train)
	default:
		device.always += kept(train)
		host.opening += 4 * int64(train) * d
	}
	if thin {
		host.opening += 16 * sparse.BlockValues
		looked = min(looked, max(1, MostLooked/a.D))
	}

	// What a step computes block by block is there for one block at a time, but for the selection matrix.
	layout := fused.LayoutFor(backend, a)
	matrices, block := 3, 4*int64(layout.Width())
	if layout.Blocks() > 1 {
		matrices, block = 1, 4*int64(layout.Block)
	}
	width := a.Hidden[0] // h', the last layer of the decoder
	device.step += int64(weights*width+4*a.B+others)*block + kept(matrices*a.K+a.B)
	device.look += kept(outputs*a.K + looked + reconstructed*width + others)
	host.look += kept(2*a.K+looked) + 12*int64(a.K)*int64(max(test, data.N-test))

	p := MemoryPlan{Backend: backend, Rows: data.N, Features: data.D, K: a.K, Held: held, Host: host.peak()}
	switch backend { // and what the allocators keep: a GPU's grows in powers of two
	case "xla:cuda":
		p.Device = device.peak()*5/4 + 768*mebibyte // CUDA and its libraries: an H100 had 726 MB taken
		p.Host += host.largest() / 4
	case "xla:cpu":
		p.Host += min(150*mebibyte, (host.always-whole)/8+host.largest())
	}
	return p
}

// trainingRows is how many of so many training rows are used, each class having its share of them.
func trainingRows(data *dataset.Dataset, all, most int) (rows int) {
	if most == 0 {
		return all
	}
	counts := make([]int, len(data.Classes))
	for _, y := range data.Y {
		counts[y]++
	}
	for _, n := range counts {
		rows += min(most, (n*all+data.N-1)/data.N)
	}
	return rows
}

// narrowed is the memory of the features that remain of sparse data after screening. They are denser than most: three times is what counts
// of cells have.
func narrowed(data *dataset.Dataset, features int) int64 {
	const denser, grown = 3, 1.25 // as a list grows there is room for more
	share := max(float64(data.Stored()), 1) / (float64(data.N) * float64(data.D))
	bytes := 8 * grown * float64(data.N) * float64(features) * min(denser*share, 1)
	return 8*int64(data.N) + min(int64(bytes), MostStored)
}

// ToCome is what will be taken on the host from when the training is opened, beyond the program and the data as read.
func (p MemoryPlan) ToCome() int64 { return p.Host - p.Held }

// String is the plan as a table for people, in MB.
func (p MemoryPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "memory for %s, K = %d, on %s:\n", phrase.Table(p.Rows, p.Features), p.K, p.Backend)
	line := func(bytes int64, what string) { fmt.Fprintf(&b, "  %9.1f MB  %s\n", float64(bytes)/1e6, what) }
	line(p.Held, "the program and the data as read")
	line(p.Host, "at the peak")
	if p.Device > 0 {
		line(p.Device, "of the GPU, at the peak")
	}
	return b.String()
}

// room is the memory that a training may take.
type room struct {
	host, device             int64 // bytes; −1: not known
	hostSource, deviceSource string
}

// CheckMemory refuses a training for which this machine has no room, before anything large is taken: it names what is needed, what is
// there, and the largest K and number of features that would fit. Where nobody says how much memory there is it refuses nothing but a K
// above the number of features, which no memory would help.
func CheckMemory(ctx context.Context, backend string, data *dataset.Dataset, settings config.Settings) error {
	if err := data.CheckK(settings.K); err != nil {
		return err
	}
	return roomFor(ctx, backend).check(data, settings, backend)
}

// roomFor is what there is now.
func roomFor(ctx context.Context, backend string) room {
	r := room{host: -1, device: -1}
	if free := system.AvailableMemory(); free != nil {
		r.host, r.hostSource = free.Bytes, free.Source
	}
	if backend == "xla:cuda" {
		if gpus, err := xlaplugin.GPUs(ctx); err == nil && gpus[0].Free > 0 {
			// One process may take three quarters of a GPU: see cudaOptions.
			r.device, r.deviceSource = min(gpus[0].Free, gpus[0].Total/4*3), "free on "+gpus[0].Name
		}
	}
	return r
}

// FreeMemory is the bytes that work on a backend may still take, of the host or of a GPU, whichever has less, and who says so; −1 where
// nobody does.
func FreeMemory(ctx context.Context, backend string) (bytes int64, source string) {
	r := roomFor(ctx, backend)
	if r.host < 0 || r.device >= 0 && r.device < r.host {
		return r.device, r.deviceSource
	}
	return r.host, r.hostSource
}

func (r room) holds(p MemoryPlan) bool {
	return (r.host < 0 || p.ToCome() <= r.host) && (r.device < 0 || p.Device <= r.device)
}

func (r room) check(data *dataset.Dataset, settings config.Settings, backend string) error {
	p := PlanMemory(data, settings, backend)
	if r.holds(p) {
		return nil
	}
	need, have, source := p.ToCome(), r.host, r.hostSource
	if r.host >= 0 && need <= r.host || r.host < 0 {
		need, have, source = p.Device, r.device, r.deviceSource
	}
	return errs.New(errs.Request, r.remedy(data, settings, backend), "%s with K = %d need %s more on %s, but %s are %s",
		phrase.Count(data.D, "feature"), settings.K, system.Bytes(need), backend, system.Bytes(have), source)
}

// remedy names what would fit.
func (r room) remedy(data *dataset.Dataset, settings config.Settings, backend string) string {
	holds := func(change func(*config.Settings), d int) bool {
		s := settings
		change(&s)
		smaller := *data
		smaller.D, smaller.Features = d, data.Features[:min(d, len(data.Features))]
		return r.holds(PlanMemory(&smaller, s, backend))
	}
	var ways []string
	if k := sort.Search(settings.K, func(k int) bool { return !holds(func(s *config.Settings) { s.K = k + 1 }, data.D) }); k > 0 {
		ways = append(ways, fmt.Sprintf("k = %d", k))
	}
	const screened = 1000
	if (settings.Screen == 0 || settings.Screen > screened) && screened >= settings.K &&
		holds(func(s *config.Settings) { s.Screen = screened }, data.D) {
		ways = append(ways, fmt.Sprintf("screen = %d", screened))
	}
	if settings.Batch == 0 || settings.Batch > 8 {
		if holds(func(s *config.Settings) { s.Batch = 8 }, data.D) {
			ways = append(ways, "batch = 8")
		}
	}
	if backend == "xla:cuda" {
		if r.holds(PlanMemory(data, settings, "xla:cpu")) {
			ways = append(ways, "backend = xla:cpu")
		}
	}
	if d := sort.Search(data.D, func(d int) bool { return !holds(func(*config.Settings) {}, d+1) }); d >= settings.K {
		ways = append(ways, fmt.Sprintf("a table of %s, say those that vary most", phrase.Count(round(d), "feature")))
	}
	if len(ways) == 0 {
		return "close other programs, or use a machine with more memory"
	}
	return "these would fit: " + strings.Join(ways, "; or ")
}

// round down to two digits.
func round(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// SideBySide is how many trainings, at most most and one at least, have room by this plan at the same time in a process that has its program
// and its data already. why says what each takes, and what there is.
func (p MemoryPlan) SideBySide(ctx context.Context, most int) (count int, why string) {
	return roomFor(ctx, p.Backend).sideBySide(p, most)
}

func (r room) sideBySide(p MemoryPlan, most int) (count int, why string) {
	count = most
	limit := func(fit, need, have int64, source string) {
		if int64(count) > max(1, fit) {
			count, why = int(max(1, fit)), fmt.Sprintf("each takes %s, and %s are %s", system.Bytes(need), system.Bytes(have), source)
		}
	}
	if r.host >= 0 {
		limit(r.host/max(1, p.ToCome()), p.ToCome(), r.host, r.hostSource)
	}
	if r.device >= 0 && p.Device > 0 {
		limit(r.device/p.Device, p.Device, r.device, r.deviceSource)
	}
	return count, why
}
