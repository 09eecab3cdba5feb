package study

import (
	"context"

	"fsnetlab/fsnet/engine"
)

// For the tests of this package.
var (
	AllowedCores = cores
	CoresOf      = coresOf
	OnCore       = onCore
)

// Patient has a watchdog wait for so many beats.
func (w *Workers) Patient(beats int) *Workers {
	w.patience = beats
	return w
}

// On is w on a machine with these cores and this quota.
func (w *Workers) On(cores []int, quota float64) *Workers {
	w.machine = func() machine { return machine{cores, quota} }
	return w
}

// WithRoom is w where so many workers have room.
func (w *Workers) WithRoom(count int) *Workers {
	w.room = func(_ context.Context, _ engine.MemoryPlan, most int) (int, string) {
		return min(count, most), "each takes a lot"
	}
	return w
}
