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
	ignoreLimit  = 600 * time.Millisecond  // for processes that do nothing of their own about an interrupt
	cleanUpLimit = 5500 * time.Millisecond // for those that do, once their cell has ended
	remindAfter  = 2 * time.Second

	endPause = 20 * time.Millisecond
	endLimit = 3 * time.Second // a process that the system cannot end is left
)

// End ends processes, but those that are to be kept: it tells them so (SIGTERM), and kills them after grace. It returns when none is left.
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
			syscall.Kill(p.ID, s) //nolint:errcheck // it has ended already
		}
	}
}

// Interrupter ends what a Go cell has started: all that is below GoNB, which adopts what its cells leave behind, and was not there when the
// cell began. GoNB would interrupt the cell's own process, kill it five seconds later, and wait until everybody has let go of its output, so
// a program that the cell has started would keep it running.
//
// Each process is interrupted once, as Ctrl-C in a terminal does: one that cleans up must not be told twice, and what it starts for that
// not at all. Those to which an interrupt is nothing are killed soon after. Those that do something about it have the time that they take,
// until a second interrupt, or for a while once their cell has ended.
type Interrupter struct {
	gonb   Info
	before map[Key]bool // below GoNB when the cell began: its watch, and what earlier cells have left
	Slow   func()       // called once, where the cell takes its time to end

	mu       sync.Mutex
	targets  map[Key]*target
	programs map[Key]bool   // below GoNB itself when it was first looked: the cell's, and what that had left behind
	denied   map[Key]string // programs that may not be signalled: another user's, such as sudo
	looked   bool           // since it was interrupted
	ended    time.Time      // when the cell had ended; zero: it has not
}

type target struct {
	Info
	found   time.Time
	cleanUp bool // it was started to clean up
}

// NewInterrupter is for a cell that begins now in the GoNB of that process id.
func NewInterrupter(gonb int) *Interrupter {
	r := &Interrupter{gonb: Info{ID: gonb}, before: map[Key]bool{}, Slow: func() {}, targets: map[Key]*target{}, programs: map[Key]bool{}, denied: map[Key]string{}}
	list, _ := List() // nothing is known without it
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

// Started reports whether the cell has started a process, given with its ancestry.
func (r *Interrupter) Started(ancestry []Key) bool {
	at := slices.Index(ancestry, r.gonb.Key())
	return at > 0 && !slices.ContainsFunc(ancestry[:at], func(k Key) bool { return r.before[k] })
}

// Run looks and signals until nothing is left. Once over is closed the cell has ended, and what GoNB starts from then on is another cell's.
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

// waitedFor reports whether the cell has ended that long ago.
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

// Sweep looks once and gives how many are left. What is new is the cell's as long as that was not over when it was seen.
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
	// The cell's program may have ended while GoNB waits for those that hold its output, such as a shell that was interrupted just before it
	// started what it waits for now.
	own := func(p Info) bool { return p.Parent == r.gonb.ID && (first || r.programs[p.Key()]) }
	if !first && r.ended.IsZero() && !slices.ContainsFunc(left, own) {
		r.ended = now
	}
	parents := map[int]*target{} // which come before their children
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

// cleansUp reports whether a process does something of its own about the interrupt that it got.
func (t *target) cleansUp() bool {
	if t == nil || t.cleanUp {
		return t != nil
	}
	t.Detail()
	return t.Catches
}

// ignores looks again: a process that was just begun had not arranged its signals yet.
func ignores(p *Info) bool {
	p.Detail()
	return !p.Catches
}

func (r *Interrupter) interrupt(p Info) {
	if p.Ignores {
		r.Signal(p, syscall.SIGTERM)
	} else {
		r.Signal(p, syscall.SIGINT)
	}
}

// Signal sends a signal, and remembers who may not get one. Any other error is that of a process that has ended already.
func (r *Interrupter) Signal(p Info, s syscall.Signal) {
	if errors.Is(syscall.Kill(p.ID, s), syscall.EPERM) {
		r.denied[p.Key()] = p.Name()
	}
}

// OutOfReach names, for people, the programs that the cell waits for and nobody here can end.
func (r *Interrupter) OutOfReach() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.denied) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Values(r.denied))
	return "; another user's " + strings.Join(slices.Compact(names), ", ") + " cannot be ended from here and keeps running"
}

// descendants gives the cell's processes, parents before their children. Once the cell is over, those are its that were found before. What
// is to outlive the cell is left alone, unless the interrupt is forced: the cell may be waiting for it.
func (r *Interrupter) descendants(list []Info, fresh, force bool) []Info {
	return Below(list, r.gonb.ID, func(p Info) bool {
		if r.targets[p.Key()] != nil {
			return false
		}
		return !fresh || r.before[p.Key()] || p.Session != r.gonb.Session && !force && p.kept()
	})
}
