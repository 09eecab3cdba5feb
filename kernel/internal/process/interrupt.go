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
	lookPause    = 25 * time.Millisecond
	ignoreLimit  = 600 * time.Millisecond  // for processes that do not handle an interrupt
	cleanUpLimit = 5500 * time.Millisecond // for processes that handle it, after their cell has ended
	remindAfter  = 2 * time.Second

	endPause = 20 * time.Millisecond
	endLimit = 3 * time.Second // then a process that the system cannot end is left alone
)

// End sends SIGTERM to processes, except those that are to be kept, kills them after grace, and
// returns when all have ended.
func End(list []Info, grace time.Duration) {
	list = slices.DeleteFunc(slices.Clone(list), Info.kept)
	for began := time.Now(); len(list) > 0 && time.Since(began) < grace+endLimit; time.Sleep(endPause) {
		s := syscall.SIGTERM
		if time.Since(began) >= grace {
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
// were not there when the cell began. GoNB alone would interrupt the cell's own process, kill it
// five seconds later, and then wait until all holders of its output have ended, so a program
// started by the cell would keep it running.
//
// Each process is interrupted once, as by Ctrl-C in a terminal. Processes that a handler starts to
// clean up are not interrupted. Processes that do not handle the interrupt are killed soon after.
// The others have as much time as they need until a second interrupt, and a limited time after
// their cell has ended.
type Interrupter struct {
	gonb   Info
	before map[Key]bool // descendants of GoNB when the cell began: its watch, and remains of earlier cells
	Slow   func()       // called once, if the cell takes long to end

	mu       sync.Mutex
	targets  map[Key]*target
	programs map[Key]bool   // children of GoNB at the first sweep: the cell's program and its orphans
	denied   map[Key]string // programs that may not be signalled, since they belong to another user
	looked   bool           // a sweep has taken place
	ended    time.Time      // when the cell ended; zero before
}

type target struct {
	Info
	found   time.Time
	cleanUp bool // started by a handler to clean up
}

// NewInterrupter returns the interrupter of a cell that begins now in the GoNB with that process
// id.
func NewInterrupter(gonb int) *Interrupter {
	r := &Interrupter{gonb: Info{ID: gonb}, before: map[Key]bool{}, Slow: func() {}, targets: map[Key]*target{}, programs: map[Key]bool{}, denied: map[Key]string{}}
	list, _ := List() // it is empty on systems without /proc
	for _, p := range list {
		if p.ID == gonb {
			r.gonb = p
		}
	}
	for _, p := range Below(list, gonb, func(Info) bool { return false }) {
		r.before[p.Key()] = true
	}
	return r
}

// Started reports whether the cell has started the process with this ancestry.
func (r *Interrupter) Started(ancestry []Key) bool {
	at := slices.Index(ancestry, r.gonb.Key())
	return at > 0 && !slices.ContainsFunc(ancestry[:at], func(k Key) bool { return r.before[k] })
}

// Run sweeps until no process is left. When over is closed the cell has ended, and later children
// of GoNB belong to another cell.
func (r *Interrupter) Run(over, force <-chan struct{}) {
	tick := time.NewTicker(lookPause)
	defer tick.Stop()
	remind := time.AfterFunc(remindAfter, func() {
		if !done(over) && !done(force) {
			r.Slow()
		}
	})
	defer remind.Stop()
	for {
		ended := done(over)
		left := r.Sweep(over, done(force))
		if ended {
			remind.Stop()
			if left == 0 || r.waitedFor(cleanUpLimit+time.Second) {
				return
			}
		}
		<-tick.C
	}
}

// waitedFor reports whether the cell ended more than limit ago.
func (r *Interrupter) waitedFor(limit time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.ended.IsZero() && time.Since(r.ended) > limit
}

func done(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Sweep signals the processes of the cell once and returns how many are left. New processes count
// as the cell's until over is closed.
func (r *Interrupter) Sweep(over <-chan struct{}, force bool) int {
	list, err := List()
	if err != nil {
		return 0
	}
	fresh := !done(over)
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	first := !r.looked
	r.looked = true
	if !fresh && r.ended.IsZero() {
		r.ended = now
	}
	left := r.descendants(list, fresh, force)
	// The cell's program may have ended while GoNB waits for processes that hold its output, such
	// as the child of a shell that was interrupted just before it started that child.
	own := func(p Info) bool { return p.Parent == r.gonb.ID && (first || r.programs[p.Key()]) }
	if !first && r.ended.IsZero() && !slices.ContainsFunc(left, own) {
		r.ended = now
	}
	parents := map[int]*target{} // descendants lists parents before their children
	for _, p := range left {
		t, known := r.targets[p.Key()]
		if !known {
			if own(p) {
				r.programs[p.Key()] = true
			}
			p.Detail()
			t = &target{Info: p, found: now, cleanUp: !first && parents[p.Parent].cleansUp()}
			r.targets[p.Key()] = t
			if !t.cleanUp {
				r.interrupt(p)
			}
		}
		parents[p.ID] = t
		late := !r.ended.IsZero() && now.Sub(r.ended) > cleanUpLimit
		if force || late || (!t.cleanUp && now.Sub(t.found) > ignoreLimit && ignores(&p)) {
			r.Signal(t.Info, syscall.SIGKILL)
		}
	}
	return len(left)
}

// cleansUp reports whether a process handles the interrupt.
func (t *target) cleansUp() bool {
	if t == nil || t.cleanUp {
		return t != nil
	}
	t.Detail()
	return t.Catches
}

// ignores reports whether a process does not handle an interrupt. It reads the state again, since a
// new process may not have installed its handlers before.
func ignores(p *Info) bool {
	p.Detail()
	return !p.Catches
}

// interrupt sends SIGINT, or SIGTERM to a process that ignores SIGINT, such as a background job of
// a shell.
func (r *Interrupter) interrupt(p Info) {
	if p.Ignores {
		r.Signal(p, syscall.SIGTERM)
	} else {
		r.Signal(p, syscall.SIGINT)
	}
}

// Signal sends a signal and remembers processes that may not be signalled. Any other error means
// that the process has ended.
func (r *Interrupter) Signal(p Info, s syscall.Signal) {
	if errors.Is(syscall.Kill(p.ID, s), syscall.EPERM) {
		r.denied[p.Key()] = p.Name()
	}
}

// OutOfReach names the programs of other users that the cell waits for, for an error message.
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
func (r *Interrupter) descendants(list []Info, fresh, force bool) []Info {
	return Below(list, r.gonb.ID, func(p Info) bool {
		if r.targets[p.Key()] != nil {
			return false
		}
		return !fresh || r.before[p.Key()] || p.Session != r.gonb.Session && !force && p.kept()
	})
}
