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
	giveUpAfter   = cleanUpLimit + time.Second // after that, a process that survives SIGKILL is left alone

	endInterval = 20 * time.Millisecond
	endGrace    = 300 * time.Millisecond   // from SIGTERM to SIGKILL
	endLimit    = endGrace + 3*time.Second // after that, a process that the system can't end is left alone
)

// End ends programs that cells have left running, except those with FSNET_KEEP.
// It sends SIGTERM, and kills them after endGrace. It returns when all have
// ended, or after endLimit. Where processes can't be listed, it does nothing.
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

// Interrupter ends the processes of a Go cell. These are all descendants of
// GoNB that didn't exist when the cell began. GoNB adopts orphans. Without an
// Interrupter, GoNB would interrupt only the process it started for the cell,
// and then wait until no process holds the cell's output open.
//
// An interrupt sends SIGINT once to each running process, as Ctrl-C does in a
// terminal. SIGKILL follows after 5 seconds or at a second interrupt. Processes
// that start later get SIGINT only if GoNB is their parent, so that what a
// handler starts to clean up can finish.
type Interrupter struct {
	gonb Info
	// Before holds the descendants of GoNB when the cell began: its watch, and
	// remains of earlier cells.
	before map[Key]bool
	Slow   func() // called once if the cell takes long to end

	mu     sync.Mutex
	began  time.Time      // time of the first sweep
	cell   map[Key]bool   // processes of the cell that a sweep has found
	denied map[Key]string // names of programs that belong to another user and can't be signalled
}

// NewInterrupter returns the interrupter of a cell that begins now. gonb is the
// process id of its GoNB.
func NewInterrupter(gonb int) *Interrupter {
	r := &Interrupter{gonb: Info{ID: gonb}, before: map[Key]bool{}, Slow: func() {}, cell: map[Key]bool{}, denied: map[Key]string{}}

	list, _ := List() // empty on systems without /proc
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

// Started reports whether the cell has started the process with this ancestry,
// nearest first. It returns false if GoNB isn't in the ancestry.
func (r *Interrupter) Started(ancestry []Key) bool {
	at := slices.Index(ancestry, r.gonb.Key())
	return at > 0 && !slices.ContainsFunc(ancestry[:at], func(k Key) bool { return r.before[k] })
}

// Run interrupts the cell and sweeps repeatedly. It returns once the cell has
// ended and no process remains, or after giveUpAfter. The caller closes over
// when the cell has ended; children that GoNB starts later belong to another
// cell. Once force is closed, Run kills processes.
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

// isClosed reports whether c is closed. c must carry no values. It returns
// false if c is nil.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Sweep lists the processes of the cell once and returns how many remain. It
// returns 0 where processes can't be listed. The first sweep interrupts all of
// them, and later ones only new children of GoNB. With force, or after
// cleanUpLimit, a sweep kills all. Until over is closed, new processes count as
// the cell's.
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

// interrupt sends SIGINT. If the process ignores SIGINT, like a background job
// of a shell, it sends SIGTERM.
func (r *Interrupter) interrupt(p Info) {
	s := syscall.SIGINT
	if p.Detail(); p.Ignores {
		s = syscall.SIGTERM
	}
	r.Signal(p, s)
}

// Signal sends a signal. It records for OutOfReach which processes can't be
// signalled. Any other error means that the process has ended. The caller must
// hold the lock.
func (r *Interrupter) Signal(p Info, s syscall.Signal) {
	if errors.Is(syscall.Kill(p.ID, s), syscall.EPERM) {
		if len(p.Command) == 0 {
			p.Detail()
		}
		r.denied[p.Key()] = p.Name()
	}
}

// OutOfReach names the programs of other users that couldn't be signalled, as
// text to append to an error message. It returns "" if there are none.
func (r *Interrupter) OutOfReach() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.denied) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Values(r.denied))
	return "; another user's " + strings.Join(slices.Compact(names), ", ") + " cannot be ended from here and keeps running"
}

// descendants returns the cell's processes, parents before their children.
// After the cell has ended, it returns only known processes. It omits processes
// that should outlive the cell, unless the interrupt is forced, because the
// cell may be waiting for them.
func (r *Interrupter) descendants(list []Info, running, force bool) []Info {
	return Below(list, r.gonb.ID, func(p Info) bool {
		if r.cell[p.Key()] {
			return false
		}
		return !running || r.before[p.Key()] || p.Session != r.gonb.Session && !force && p.isKept()
	})
}
