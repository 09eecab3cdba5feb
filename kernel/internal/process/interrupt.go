package process

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	sweepInterval = 50 * time.Millisecond
	cleanUpLimit  = 5 * time.Second // from the interrupt to SIGKILL
	remindAfter   = 2 * time.Second
	giveUpAfter   = cleanUpLimit + time.Second // then a process that survives SIGKILL is left alone

	endInterval = 20 * time.Millisecond
	endGrace    = 300 * time.Millisecond   // from SIGTERM to SIGKILL
	endLimit    = endGrace + 3*time.Second // then a process that the system cannot end is left alone
)

// End ends programs that cells have left running, except those with FSNET_KEEP. It sends SIGTERM,
// kills them after endGrace, and returns when all have ended or after endLimit. It does nothing
// where processes cannot be listed.
func End(list []Info) {
	list = slices.DeleteFunc(slices.Clone(list), Info.isKept)
	for began := time.Now(); len(list) > 0 && time.Since(began) < endLimit; time.Sleep(endInterval) {
		s := syscall.SIGTERM
		if time.Since(began) >= endGrace {
			s = syscall.SIGKILL
		}
		now, err := List()
		if err != nil {
			return
		}
		list = slices.DeleteFunc(list, func(p Info) bool {
			return !slices.ContainsFunc(now, func(q Info) bool { return p.Key() == q.Key() })
		})
		for _, p := range list {
			syscall.Kill(p.ID, s) //nolint:errcheck // an error means that it has ended
		}
	}
}

// Interrupter ends the processes of a Go cell: all descendants of GoNB, which adopts orphans, that
// were not there when the cell began. GoNB alone would interrupt only the cell's own process, and
// then wait until all holders of the cell's output have ended.
//
// An interrupt sends SIGINT once to each process that runs, as Ctrl-C does in a terminal, and
// SIGKILL after 5 seconds or at a second interrupt. Later processes get SIGINT only if GoNB is their
// parent, so what a handler starts to clean up can finish.
type Interrupter struct {
	gonb   Info
	before map[Key]bool // descendants of GoNB when the cell began: its watch, and remains of earlier cells
	Slow   func()       // called once, if the cell takes long to end

	mu     sync.Mutex
	began  time.Time      // when the first sweep took place
	cell   map[Key]bool   // processes of the cell that a sweep has found
	denied map[Key]string // programs that may not be signalled, since they belong to another user
}

// NewInterrupter returns the interrupter of a cell that begins now in the GoNB with that process
// id.
func NewInterrupter(gonb int) *Interrupter {
	r := &Interrupter{gonb: Info{ID: gonb}, before: map[Key]bool{}, Slow: func() {}, cell: map[Key]bool{}, denied: map[Key]string{}}
	list, _ := List() // it is empty on systems without /proc
	for _, p := range list {
		if p.ID == gonb {
			r.gonb = p
		}
	}
	for _, p := range Below(list, gonb, nil) {
		r.before[p.Key()] = true
	}
	return r
}

// Started reports whether the cell has started the process with this ancestry, the nearest first;
// false if GoNB is not in it.
func (r *Interrupter) Started(ancestry []Key) bool {
	at := slices.Index(ancestry, r.gonb.Key())
	return at > 0 && !slices.ContainsFunc(ancestry[:at], func(k Key) bool { return r.before[k] })
}

// Run interrupts the cell, sweeps again and again, and returns once the cell has ended and no
// process is left, or giveUpAfter has passed. When over is closed the cell has ended, and later
// children of GoNB belong to another cell. Once force is closed, processes are killed.
func (r *Interrupter) Run(over, force <-chan struct{}) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	remind := time.AfterFunc(remindAfter, func() {
		if !isClosed(over) && !isClosed(force) {
			r.Slow()
		}
	})
	defer remind.Stop()
	for began := time.Now(); ; <-tick.C {
		ended := isClosed(over)
		if left := r.Sweep(over, isClosed(force)); ended && (left == 0 || time.Since(began) > giveUpAfter) {
			return
		}
	}
}

// isClosed reports whether a channel that carries nothing is closed; false for nil.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Sweep lists the processes of the cell once and returns how many are left, 0 where they cannot be
// listed. The first sweep interrupts all of them, a later one only new children of GoNB; with force,
// or after cleanUpLimit, a sweep kills all. New processes count as the cell's until over is closed.
func (r *Interrupter) Sweep(over <-chan struct{}, force bool) (left int) {
	list, err := List()
	if err != nil {
		return 0
	}
	running := !isClosed(over)
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.began.IsZero()
	if first {
		r.began = time.Now()
	}
	kill := force || time.Since(r.began) > cleanUpLimit
	for _, p := range r.descendants(list, running, force) {
		left++
		switch {
		case kill:
			r.Signal(p, syscall.SIGKILL)
		case !r.cell[p.Key()] && (first || p.Parent == r.gonb.ID): // GoNB may just have started it, such as the compiler
			r.interrupt(p)
		}
		r.cell[p.Key()] = true
	}
	return left
}

// interrupt sends SIGINT, or SIGTERM to a process that ignores SIGINT, such as a background job of
// a shell.
func (r *Interrupter) interrupt(p Info) {
	s := syscall.SIGINT
	if p.Detail(); p.Ignores {
		s = syscall.SIGTERM
	}
	r.Signal(p, s)
}

// Signal sends a signal and remembers, for OutOfReach, processes that may not be signalled. Any
// other error means that the process has ended. The caller holds the lock.
func (r *Interrupter) Signal(p Info, s syscall.Signal) {
	if errors.Is(syscall.Kill(p.ID, s), syscall.EPERM) {
		if len(p.Command) == 0 {
			p.Detail()
		}
		r.denied[p.Key()] = p.Name()
	}
}

// OutOfReach names the programs of other users that could not be signalled, to be appended to an
// error message; "" without any.
func (r *Interrupter) OutOfReach() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.denied) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Values(r.denied))
	return "; another user's " + strings.Join(slices.Compact(names), ", ") + " cannot be ended from here and keeps running"
}

// descendants returns the cell's processes, parents before their children. After the cell has ended
// only known processes count. Processes that are to outlive the cell are left out, unless the
// interrupt is forced: the cell may be waiting for them.
func (r *Interrupter) descendants(list []Info, running, force bool) []Info {
	return Below(list, r.gonb.ID, func(p Info) bool {
		if r.cell[p.Key()] {
			return false
		}
		return !running || r.before[p.Key()] || p.Session != r.gonb.Session && !force && p.isKept()
	})
}
