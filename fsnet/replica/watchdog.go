package replica

import (
	"fmt"
	"time"
)

// patience is how long a worker may say nothing at all. One that is slow still says that it is alive, however busy the machine is.
const patience = time.Minute

const (
	idlePatience = 10  // times as long may one say that it is alive while it neither makes a step nor computes
	idleTime     = 1.0 // seconds of processor time that are nothing: being alive takes some
)

// watchdog tells a worker that hangs from one that is slow. Its clock is the number of its ticks, which stand still while this process
// does: a machine that sleeps, or a job that is suspended with all its processes, is no hanging worker.
type watchdog struct {
	patience     int // ticks
	silent, idle int // ticks
	step         int
	cpu          float64
}

// hear notes what the worker says.
func (w *watchdog) hear(r reply) {
	w.silent = 0
	switch {
	case r.Steps != nil && r.Steps.Step != w.step:
		w.step, w.idle = r.Steps.Step, 0
	case r.Alive != nil && r.Alive.CPU-w.cpu >= idleTime:
		w.cpu, w.idle = r.Alive.CPU, 0
	}
}

// tick lets a beat's time pass and says what is wrong with the worker, or "".
func (w *watchdog) tick() string {
	w.silent++
	w.idle++
	switch {
	case w.silent > w.patience:
		return fmt.Sprintf("it said nothing for %s", time.Duration(w.patience)*beatInterval)
	case w.idle > idlePatience*w.patience:
		return fmt.Sprintf("it made no step and computed nothing for %s", time.Duration(idlePatience*w.patience)*beatInterval)
	}
	return ""
}
