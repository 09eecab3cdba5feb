package engine

import (
	"context"
	"fmt"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/fsnet/method/pairs"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/internal/xlaplugin"
)

// MemoryPlan holds upper bounds of the memory that a training takes, in bytes.
type MemoryPlan struct {
	Backend  string
	Rows     int
	Features int // of the data set
	K        int
	Held     int64 // of the host, taken before the training is opened: the program, and the data as read
	Host     int64 // at the peak
	Device   int64 // at the peak; 0 where the host is the device
}

// MaxCheckpoints limits the states that a training keeps in memory.
const MaxCheckpoints = 64

const (
	mebibyte      = 1 << 20
	cudaLibraries = 768 * mebibyte // of a GPU, without any data
)

// PlanMemory bounds the memory of a training on a data set that has been read. backend is the one
// that was opened: xla:cuda, xla:cpu or go.
//
// The sizes of the matrices are known. How many copies of them are alive together, and what a
// program takes without any data, are upper bounds of what processes took with 10⁴ to 10⁶ features,
// K = 10 and 50, and 72 to 400 rows. The same holds for the memory of a GPU, measured on one H100
// (driver 580, CUDA 13).
func PlanMemory(data *dataset.Dataset, settings config.Settings, backend string) MemoryPlan {
	test := data.TestRows(settings.TestFraction)
	train := max(data.N-test, 1)
	if most := settings.RowsPerClass * len(data.Classes); most > 0 {
		train = min(train, most)
	}
	features := data.D
	if settings.Screen > 0 {
		features = min(features, settings.Screen)
	}
	a := method.NewArchitecture(settings.ForData(train), train, features, len(data.Classes))
	layout := fused.LayoutFor(backend, a)
	matrix := func(rows int) int64 { return 4 * int64(rows) * int64(a.D) } // of the features that remain after screening
	rows, columns := int64(data.N), int64(data.D)

	program, copies := int64(420*mebibyte), 1 // two programs compile at once, of steps with spokesmen and without
	switch backend {
	case "go": // loads no plugin, but fuses nothing and keeps what one program took for the next
		program, copies = 64*mebibyte, 6
	case "xla:cuda":
		program += 240 * mebibyte
	}
	p := MemoryPlan{Backend: backend, Rows: data.N, Features: data.D, K: a.K, Held: program + 16*columns}
	for _, name := range data.Features {
		p.Held += int64(len(name))
	}

	// host and inputs are there from the opening to the end. opening, work and
	// read come and go.
	host := 32*columns + MaxCheckpoints*8*int64(a.Size())
	inputs := matrix(a.PhiRows() + train)
	opening := 3*matrix(a.PhiRows()) + (60+8*int64(len(data.Classes)))*columns + matrix(train)
	if settings.Embedding == config.ClassT && !settings.Stepwise() {
		inputs += matrix(repair.Speakers)
		opening += matrix(min(train, repair.ContestRows)+min(train, 600)) + 8*int64(len(data.Classes)+repair.Speakers+4)*columns
	}
	evaluated := max(test, data.N-test)
	p.Held += data.Bytes()
	switch {
	case data.Sparse() && data.Nuisance == nil: // a nuisance makes sparse data dense
		host += 8*rows + min(10*data.Stored(), MostStored)
		opening += 16*sparse.BlockValues + 2*matrix(train)
		evaluated = min(evaluated, max(1, MostLooked/a.D))
		if train*features > MostDense { // batches are streamed through two buffers on both sides
			host += 8 * streamRoom
			inputs += 8*streamRoom - matrix(train)
			opening += 4*sparse.ColumnValues - 3*matrix(train)
		}
	case data.Sparse():
		host += 8 * rows * columns
	default:
		host += 4 * rows * columns // scaled
	}
	if settings.Beforehand() {
		inputs += matrix(a.K)
	}
	searched := data.D
	if data.Sparse() { // pairs are searched after screening
		searched = features
	}
	if settings.Finishes() {
		search := pairs.Bytes(train, searched, len(data.Classes))
		if backend != "go" {
			search += pairs.Compiled
		}
		opening = max(opening, search)
		inputs += matrix(a.K) // selectors may be held on a pair
	}
	// A step computes what is wide block by block, but the look at P and an
	// evaluation in whole.
	width := a.Hidden[0]
	work := matrix(copies*(3*a.K+width+13)+max(evaluated, a.B)) + int64(copies*(2*width+13)+4*a.B)*4*int64(layout.Block)
	read := matrix(2*a.K+evaluated) + 12*int64(a.K)*int64(max(test, data.N-test)) // what the host gets of it

	if backend == "xla:cuda" {
		p.Device = (inputs+work)*5/4 + cudaLibraries // an allocator grows in powers of two
		inputs, work = 0, 0
	}
	always, most := host+inputs, max(opening, work+read)
	p.Host = p.Held + always + most + min((p.Held+always)/8+most, max(256*mebibyte, most/4)) // and what allocators keep, while two programs compile
	return p
}

// ToCome returns the bytes that the host will take beyond the program and the data as read.
func (p MemoryPlan) ToCome() int64 { return p.Host - p.Held }

// String returns the plan as a table in MB.
func (p MemoryPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "memory for %s, K = %d, on %s:\n", phrase.Table(p.Rows, p.Features), p.K, p.Backend)
	line := func(bytes int64, what string) { fmt.Fprintf(&b, "  %9.1f MB  %s\n", float64(bytes)/1e6, what) }
	line(p.Held, "the program and the data as read")
	line(p.Host, "at the peak, at most")
	if p.Device > 0 {
		line(p.Device, "of the GPU, at the peak, at most")
	}
	return b.String()
}

// room is the memory that is free.
type room struct {
	host, device             int64 // bytes; −1: unknown
	hostSource, deviceSource string
}

// CheckMemory rejects a training that does not fit into the free memory of this
// machine, before it allocates anything large, and a K above the number of
// features. If the free memory is unknown, it only checks K.
func CheckMemory(ctx context.Context, backend string, data *dataset.Dataset, settings config.Settings) error {
	if err := data.CheckK(settings.K); err != nil {
		return err
	}
	return roomFor(ctx, backend).check(PlanMemory(data, settings, backend))
}

// roomFor returns the memory that is free now.
func roomFor(ctx context.Context, backend string) room {
	r := room{host: -1, device: -1}
	if free := system.AvailableMemory(); free != nil {
		r.host, r.hostSource = free.Bytes, free.Source
	}
	if backend == "xla:cuda" {
		if gpus, err := xlaplugin.GPUs(ctx); err == nil && gpus[0].Free > 0 {
			// One process may use three quarters of a GPU, see cudaOptions.
			r.device, r.deviceSource = min(gpus[0].Free, gpus[0].Total/4*3), "free on "+gpus[0].Name
		}
	}
	return r
}

// check returns an error if the plan needs more than is free, on the host or on
// the device. If the room is unknown, it counts as enough.
func (r room) check(p MemoryPlan) error {
	need, have, source := p.ToCome(), r.host, r.hostSource
	remedy := "use a smaller screen, k or batch, close other programs, or use a machine with more memory"
	if r.host < 0 || need <= r.host {
		need, have, source = p.Device, r.device, r.deviceSource
		remedy += "; backend=xla:cpu needs no memory of a GPU"
	}
	if have < 0 || need <= have {
		return nil
	}
	return errs.New(errs.Request, remedy, "%s with K = %d may need %s more on %s, but %s are %s",
		phrase.Count(p.Features, "feature"), p.K, system.Bytes(need), p.Backend, system.Bytes(have), source)
}

// Lanes returns how many trainings one program makes together: a GPU is as fast with many small ones
// as with one. On a processor, and with matrices that keep a GPU busy, it is 1, and trainings side by
// side have clients of their own (docs/lab/performance.md). It depends on the sizes alone, because
// rounding depends on it, unless the GPU has less memory free than the program takes.
func (p MemoryPlan) Lanes(ctx context.Context) int {
	if p.Backend != "xla:cuda" {
		return 1
	}
	return roomFor(ctx, p.Backend).lanes(p)
}

// MostLanes limits the trainings of one program, and lanesRoom the bytes that they take of a GPU.
const (
	MostLanes = 32
	lanesRoom = 4 << 30
)

// lanes is [MemoryPlan.Lanes] on a GPU with this room.
func (r room) lanes(p MemoryPlan) int {
	each := 2 * (p.Device - cudaLibraries) // its matrices, and their copies with the leading axis
	count := MostLanes
	for count > 1 && int64(count)*each > lanesRoom {
		count /= 2
	}
	if r.device >= 0 && r.device < cudaLibraries+int64(count)*each {
		return 1
	}
	return count
}

// SideBySide returns how many trainings, from one to most, fit into memory together in a process
// that has its program and its data already. why names what each takes and what is free; it is ""
// if count is most.
func (p MemoryPlan) SideBySide(ctx context.Context, most int) (count int, why string) {
	return roomFor(ctx, p.Backend).sideBySide(p, most)
}

// sideBySide is [MemoryPlan.SideBySide] with this room.
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
