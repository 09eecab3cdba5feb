package baseline

import (
	"context"
	"sort"
	"strings"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/memory"
)

// Sizes are what the memory of a Fit depends on, besides the settings of its method.
type Sizes struct {
	Rows, Features, Classes, K int
}

// Use is one use of memory.
type Use struct {
	What  string
	Bytes int64
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
	need, most := total(m.Memory(s))
	if need <= free {
		return nil
	}
	return fault.New(fault.Request, smaller(m, s, free), "%s: %s of %s need %s more, %s of them for %s, but %s are %s",
		m.Entry().Name, count.Of(s.Rows, "row"), count.Of(s.Features, "feature"), memory.Text(need), memory.Text(most.Bytes), most.What, memory.Text(free), source)
}

// total is what all uses take, and the largest of them.
func total(uses []Use) (sum int64, most Use) {
	for _, u := range uses {
		sum += u.Bytes
		if u.Bytes > most.Bytes {
			most = u
		}
	}
	return sum, most
}

// smaller names what would fit. A method may have an Instead, which takes less.
func smaller(m Method, s Sizes, free int64) string {
	fits := func(m Method, s Sizes) bool {
		need, _ := total(m.Memory(s))
		return need <= free
	}
	var ways []string
	if other, ok := m.(interface{ Instead() Method }); ok && fits(other.Instead(), s) {
		ways = append(ways, other.Instead().Entry().Name)
	}
	if n := sort.Search(s.Rows, func(n int) bool { return !fits(m, Sizes{n + 1, s.Features, s.Classes, s.K}) }); n > 2*s.Classes {
		ways = append(ways, count.Of(n, "row"))
	}
	if d := sort.Search(s.Features, func(d int) bool { return !fits(m, Sizes{s.Rows, d + 1, s.Classes, s.K}) }); d > 0 && d >= s.K {
		ways = append(ways, count.Of(d, "feature"))
	}
	if len(ways) == 0 {
		return "close other programs, or use a machine with more memory"
	}
	return "these would fit: " + strings.Join(ways, "; or ")
}

// Bytes is what n×d numbers of some bytes take.
func Bytes(n, d, bytes int) int64 { return int64(n) * int64(d) * int64(bytes) }

// Transposed is what [Work.Columns] takes.
func (s Sizes) Transposed() Use { return Use{"columns, d×n", Bytes(s.Rows, s.Features, 8)} }
