package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
	"fsnetlab/internal/cuda"
	"fsnetlab/internal/memory"
)

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
	if free := memory.Available(); free != nil {
		r.host, r.hostSource = free.Bytes, free.Source
	}
	if backend == "xla:cuda" {
		if gpus, err := cuda.GPUs(ctx); err == nil && gpus[0].Free > 0 {
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
	return fault.New(fault.Request, r.remedy(data, settings, backend), "%s with K = %d need %s more on %s, but %s are %s",
		count.Of(data.D, "feature"), settings.K, memory.Text(need), backend, memory.Text(have), source)
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
		ways = append(ways, fmt.Sprintf("a table of %s, say those that vary most", count.Of(round(d), "feature")))
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
