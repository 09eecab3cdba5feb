package baseline

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
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
// would fit. Every Fit begins with it. Where nobody says how much memory there is it refuses nothing.
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
	need := total(m.Memory(s))
	if need <= free {
		return nil
	}
	most := largest(m.Memory(s))
	return fault.New(fault.Request, smaller(m, s, free), "%s: %d rows of %d features need %s more, %s of them for %s, and %s are %s",
		m.Name(), s.Rows, s.Features, memory.Text(need), memory.Text(most.Bytes), most.What, memory.Text(free), source)
}

// begin refuses data and options that a method cannot be fitted to, and those for which there is no room.
func begin(ctx context.Context, m Method, data Data, o Options) error {
	if err := data.check(m.Name()); err != nil {
		return err
	}
	if !entry(m.Name()).Selects && o.K != 0 {
		return fault.New(fault.Request, "leave k out; for fewer features fit it to those that another method selected", "%s: k = %d, but it uses every feature", m.Name(), o.K)
	}
	if entry(m.Name()).Selects {
		if err := o.checkK(m.Name(), data.width()); err != nil {
			return err
		}
	}
	return CheckMemory(ctx, m, Sizes{len(data.Rows), data.width(), data.Classes, o.K}, o)
}

func total(uses []Use) (sum int64) {
	for _, u := range uses {
		sum += u.Bytes
	}
	return sum
}

func largest(uses []Use) (most Use) {
	for _, u := range uses {
		if u.Bytes > most.Bytes {
			most = u
		}
	}
	return most
}

// smaller names what would fit.
func smaller(m Method, s Sizes, free int64) string {
	fits := func(m Method, s Sizes) bool { return total(m.Memory(s)) <= free }
	var ways []string
	if (m.Name() == HSICLasso{}.Name()) && fits(HSICLassoBlock{}, s) {
		ways = append(ways, HSICLassoBlock{}.Name())
	}
	if n := sort.Search(s.Rows, func(n int) bool { return !fits(m, Sizes{n + 1, s.Features, s.Classes, s.K}) }); n > 2*s.Classes {
		ways = append(ways, fmt.Sprintf("%d rows", n))
	}
	if d := sort.Search(s.Features, func(d int) bool { return !fits(m, Sizes{s.Rows, d + 1, s.Classes, s.K}) }); d > 0 && d >= s.K {
		ways = append(ways, fmt.Sprintf("%d features", d))
	}
	if len(ways) == 0 {
		return "close what else runs, or use a machine with more memory"
	}
	return "these would fit: " + strings.Join(ways, "; or ")
}

// bytesOf is n×d numbers of some bytes.
func bytesOf(n, d, bytes int) int64 { return int64(n) * int64(d) * int64(bytes) }

// transposed is Data.columns.
func (s Sizes) transposed() Use { return Use{"columns, d×n", bytesOf(s.Rows, s.Features, 8)} }

// network is what the neural methods have in common: the columns, the rows on their way to the device and there, and so many numbers of
// parameters for each feature, of which each takes a number of copies: values, moments and gradients, those before a call and those after.
func (s Sizes) network(perFeature, copies int) []Use {
	return []Use{
		s.transposed(),
		{"rows on the device and on their way there, n×d", 2 * bytesOf(s.Rows, s.Features, 4)},
		{"parameters, moments and gradients", bytesOf(perFeature, s.Features, 4*copies)},
	}
}
