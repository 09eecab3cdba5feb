package engine

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/internal/count"
)

// Where memory is taken. With a backend that computes on the processor all of it is the host's.
const (
	onHost   = "host"
	onDevice = "device"
)

// When memory is taken: all the time, or only while something is done, of which the largest counts.
const (
	throughout = "throughout"
	opening    = "opening"
	stepping   = "steps"
	looking    = "looking" // at a selection matrix, or at rows that are evaluated
)

// MemoryLine is one use of memory.
type MemoryLine struct {
	Name  string `json:"name"`
	Where string `json:"where"` // host · device
	When  string `json:"when"`  // throughout · opening · steps · looking
	Bytes int64  `json:"bytes"`
	Held  bool   `json:"held"` // taken already, or in any case, when the training is opened: the program, the data as read
}

// MemoryPlan is what a training will take at the most, before it takes it. It is a sum of sizes that are known and of factors that were
// measured; with XLA on the processor it is within 30% of what the process takes, and seldom under it. The factors of a GPU are those
// of the processor, not yet measured.
type MemoryPlan struct {
	Backend  string       `json:"backend"`
	Rows     int          `json:"rows"`
	Features int          `json:"features"` // d
	K        int          `json:"k"`
	Lines    []MemoryLine `json:"lines"`
	Host     int64        `json:"host"`   // bytes at the peak
	Device   int64        `json:"device"` // bytes at the peak, 0 where the host is the device
}

// sizes are what the memory of a training depends on.
type sizes struct {
	rows, train, looked, features int // looked: the most rows that are evaluated at once
	classes, nameBytes            int
	held                          int64   // bytes of sparse data as read
	stored                        float64 // share of the values that are not 0, of sparse data; else 0
	settings                      config.Settings
	backend                       string
}

// PlanMemory plans a training on a data set that has been read. backend is the one that was opened: xla:cuda, xla:cpu or go.
func PlanMemory(data *dataset.Dataset, settings config.Settings, backend string) MemoryPlan {
	return planSizes(data, settings, backend).plan()
}

func planSizes(data *dataset.Dataset, settings config.Settings, backend string) sizes {
	test := data.TestRows(settings.TestFraction)
	names := 0
	for _, name := range data.Features {
		names += len(name)
	}
	s := sizes{
		rows: data.N, train: max(trainingRows(data, data.N-test, settings.RowsPerClass), 1), looked: max(test, data.N-test), features: data.D,
		classes: len(data.Classes), nameBytes: names, settings: settings, backend: backend}
	if data.Sparse() {
		s.held = max(data.Bytes(), 1)
	}
	if data.Sparse() && data.Nuisance == nil { // which makes them dense
		s.stored = max(float64(data.Stored()), 1) / (float64(data.N) * float64(data.D))
	}
	return s
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

// sparse says that most values are 0, and streamed that the training rows are never dense all at once.
func (s sizes) sparse() bool   { return s.stored > 0 }
func (s sizes) streamed() bool { return s.sparse() && s.train*s.kept() > MostDense }

// architecture is that of the training; its columns may become fewer, as constant ones are set aside.
func (s sizes) architecture() method.Architecture {
	return method.NewArchitecture(s.settings.ForData(s.train), s.train, s.kept(), s.classes)
}

// kept is how many features remain after screening.
func (s sizes) kept() int {
	if screen := s.settings.Screen; screen > 0 {
		return min(screen, s.features)
	}
	return s.features
}

const mebibyte = 1 << 20

// MaxCheckpoints is how many states a training keeps in memory at the most.
const MaxCheckpoints = 64

func (s sizes) plan() MemoryPlan {
	p := s.lines()
	p.add(s.backend)
	return p
}

// lines are linear in d, and in K and the rows beside it. The factors are the number of copies, found by measuring the largest resident set
// of a process for d from 10⁴ to 10⁶, K = 10 and 50, 72 and 400 rows.
func (s sizes) lines() MemoryPlan {
	a := s.architecture()
	p := MemoryPlan{Backend: s.backend, Rows: s.rows, Features: s.features, K: a.K}
	d := int64(s.features)
	add := func(name, where, when string, bytes int64) {
		p.Lines = append(p.Lines, MemoryLine{Name: name, Where: where, When: when, Bytes: bytes})
	}
	floats := func(count int) int64 { return 4 * int64(count) * d }
	kept := func(count int) int64 { return 4 * int64(count) * int64(a.D) } // of the features that remain after screening
	width := a.Hidden[0]                                                   // h', the last layer of the decoder

	program, weights, reconstructed, others, outputs := int64(310*mebibyte), 2, 1, 13, 3
	if s.backend == "go" { // no plugin, but nothing is fused, and what one program took is kept for the next
		program, weights, reconstructed, others, outputs = 36*mebibyte, 6, 6, 40, 12
	}
	add("program and compiled graphs", onHost, throughout, program)
	if s.held > 0 {
		add("data as read, without zeros", onHost, throughout, s.held)
	} else {
		add("data as read, n×d", onHost, throughout, floats(s.rows))
	}
	add("names of the features", onHost, throughout, 16*d+int64(s.nameBytes))
	for i := range p.Lines {
		p.Lines[i].Held = true
	}
	if s.held > 0 && !s.sparse() {
		add("data made dense for the nuisance, n×d", onHost, throughout, floats(s.rows))
	}
	if s.sparse() {
		add("what remains of the data after screening, without zeros", onHost, throughout, s.narrowed())
	} else {
		add("scaled data, n×d", onHost, throughout, floats(s.rows))
	}
	add("means, scales and order of the columns", onHost, throughout, 32*d)
	add("checkpoints", onHost, throughout, MaxCheckpoints*8*int64(a.Size()))
	if s.streamed() {
		add("batches on their way to the device", onHost, throughout, 2*4*streamRoom)
		add("batches of a call", onDevice, throughout, 2*4*streamRoom)
	} else {
		add("training rows", onDevice, throughout, kept(s.train))
	}
	add("embedding Φ, b×d", onDevice, throughout, kept(a.PhiRows()))

	if s.settings.Beforehand() {
		add("what is known of the features beforehand, K×d", onDevice, throughout, kept(a.K))
	}

	if s.streamed() {
		add("columns of the training rows, some at a time", onHost, opening, min(kept(s.train), 4*sparse.ColumnValues))
	} else if s.sparse() {
		add("training rows on their way to the device", onHost, opening, 3*kept(s.train))
	} else {
		add("training rows on their way to the device", onHost, opening, floats(s.train))
	}
	add("embedding while it is computed", onHost, opening, 3*kept(a.PhiRows()))
	if s.sparse() {
		add("rows of the data, some at a time", onHost, opening, 16*sparse.BlockValues)
	}
	add("moments of the columns", onHost, opening, (60+8*int64(s.classes))*d)

	// What a step computes block by block is there for one block at a time, but for the selection matrix.
	l := fused.LayoutFor(s.backend, a)
	matrices, block := 3, 4*int64(l.Width())
	if l.Blocks() > 1 {
		matrices, block = 1, 4*int64(l.Block)
	}
	add("reconstruction weights and their gradient, h' × a block", onDevice, stepping, int64(weights*width)*block)
	add("selection matrices, K×d", onDevice, stepping, kept(matrices*a.K))
	add("batch, B×d", onDevice, stepping, kept(a.B))
	add("reconstruction and other temporaries of a step, for a block", onDevice, stepping, int64(4*a.B+others)*block)

	add("selection matrices for people, K×d", onDevice, looking, kept(outputs*a.K))
	add("the same on the host", onHost, looking, kept(2*a.K))
	looked := s.looked
	if s.sparse() {
		looked = min(looked, max(1, MostLooked/a.D))
	}
	add("rows that are evaluated", onHost, looking, kept(looked))
	add("the selected features of all of them", onHost, looking, 12*int64(a.K)*int64(s.looked))
	add("the same on the device, reconstructed", onDevice, looking, kept(looked+reconstructed*width+others))
	return p
}

// narrowed is the memory of the features that remain after screening. They are denser than most: three times is what counts of cells have.
func (s sizes) narrowed() int64 {
	const denser, grown = 3, 1.25 // as a list grows there is room for more
	bytes := 8 * grown * float64(s.rows) * float64(s.kept()) * min(denser*s.stored, 1)
	return 8*int64(s.rows) + min(int64(bytes), MostStored)
}

// add sums up the lines.
func (p *MemoryPlan) add(backend string) {
	always := map[string]int64{}
	phases := map[string]map[string]int64{onHost: {}, onDevice: {}}
	for i := range p.Lines {
		l := &p.Lines[i]
		if backend != "xla:cuda" {
			l.Where = onHost
		}
		if l.When == throughout {
			always[l.Where] += l.Bytes
		} else {
			phases[l.Where][l.When] += l.Bytes
		}
	}
	largest := func(where string) (most int64) {
		for _, bytes := range phases[where] {
			most = max(most, bytes)
		}
		return most
	}
	p.Host = always[onHost] + largest(onHost)
	p.Device = always[onDevice] + largest(onDevice)
	switch backend {
	case "xla:cuda":
		kept := p.Device / 4 // its allocator grows in powers of two
		p.Lines = append(p.Lines, MemoryLine{Name: "CUDA and its libraries", Where: onDevice, When: throughout, Bytes: 600 * mebibyte},
			MemoryLine{Name: "kept by the allocator", Where: onDevice, When: throughout, Bytes: kept})
		p.Device += 600*mebibyte + kept
	case "xla:cpu":
		kept := min(150*mebibyte, always[onHost]/8+largest(onHost))
		p.Lines = append(p.Lines, MemoryLine{Name: "kept by the allocators", Where: onHost, When: throughout, Bytes: kept})
		p.Host += kept
	}
}

// ToCome is what will be taken on the host from when the training is opened, beyond the program and the data as read.
func (p MemoryPlan) ToCome() int64 {
	bytes := p.Host
	for _, l := range p.Lines {
		if l.Held {
			bytes -= l.Bytes
		}
	}
	return bytes
}

// String is the plan as a table for people: sizes in MB, the peak of each place below.
func (p MemoryPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "memory for %s, K = %d, on %s:\n", count.Table(p.Rows, p.Features), p.K, p.Backend)
	const least = 50_000 // bytes: what is shown as 0.0 MB says nothing
	small := 0
	for _, l := range p.Lines {
		if l.Bytes < least {
			small++
			continue
		}
		when := ""
		if l.When != throughout {
			when = " (" + l.When + ")"
		}
		fmt.Fprintf(&b, "  %9.1f MB  %-6s  %s%s\n", float64(l.Bytes)/1e6, l.Where, l.Name, when)
	}
	if small > 0 {
		fmt.Fprintf(&b, "  %9s MB  each of %s\n", "< 0.1", count.Of(small, "other part"))
	}
	fmt.Fprintf(&b, "  %9.1f MB  host    at the peak\n", float64(p.Host)/1e6)
	if p.Device > 0 {
		fmt.Fprintf(&b, "  %9.1f MB  device  at the peak\n", float64(p.Device)/1e6)
	}
	return b.String()
}
