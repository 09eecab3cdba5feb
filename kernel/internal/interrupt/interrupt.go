// Package interrupt ends what an interrupted Go cell has started: [New] makes an [Interrupter], [Interrupter.Run] looks and signals until
// nothing is left. Which programs are the cell's is read from the list of processes (package process).
package interrupt

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"fsnetlab/kernel/internal/process"
)

const (
	lookPause    = 25 * time.Millisecond
	ignoreLimit  = 600 * time.Millisecond  // for processes that do nothing of their own about an interrupt
	cleanUpLimit = 5500 * time.Millisecond // for those that do, once their cell has ended
	remindAfter  = 2 * time.Second
)

// Interrupter ends what a Go cell has started. GoNB would interrupt the cell's own process, kill it five seconds later, and wait until
// everybody has let go of its output, so a program that the cell has started would keep it running.
//
// Each process is interrupted once, as Ctrl-C in a terminal does: one that cleans up must not be told twice, and what it starts for that
// not at all. Those to which an interrupt is nothing are killed soon after. Those that do something about it have the time that they take,
// until a second interrupt, or for a while once their cell has ended.
type Interrupter struct {
	gonb  int
	mark  string         // of what cells have started
	since process.Moment // processes of earlier cells, which may have been left behind on purpose, are older
	Slow  func()         // called once, where the cell takes its time to end

	mu      sync.Mutex
	targets map[process.Key]*target
	origins map[process.Key]process.Origin
	denied  map[process.Key]string // programs that may not be signalled: another user's, such as sudo
	begun   process.Moment         // when it was interrupted
	looked  bool                   // since then
	ended   time.Time              // when the cell had ended; zero: it has not
}

type target struct {
	process.Info
	found   time.Time
	cleanUp bool // it was started to clean up
}

// New is for the cells of the GoNB of that process id, what they start having that mark.
func New(gonb int, mark string) *Interrupter {
	return &Interrupter{
		gonb: gonb, mark: mark, since: process.Now(), Slow: func() {},
		targets: map[process.Key]*target{}, origins: map[process.Key]process.Origin{}, denied: map[process.Key]string{},
	}
}

// Run looks and signals until nothing is left. Once over is closed the cell has ended, and what GoNB starts from then on is another cell's.
func (r *Interrupter) Run(over, insist <-chan struct{}) {
	tick := time.NewTicker(lookPause)
	defer tick.Stop()
	remind := time.AfterFunc(remindAfter, func() {
		if !done(over) && !done(insist) {
			r.Slow()
		}
	})
	defer remind.Stop()
	for {
		ended := done(over)
		left := r.Round(over, done(insist))
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

// Round looks once and gives how many are left. What is new is the cell's as long as that was not over when it was seen.
func (r *Interrupter) Round(over <-chan struct{}, insist bool) int {
	list, err := process.List()
	if err != nil {
		return 0
	}
	fresh := !done(over)
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.begun == (process.Moment{}) {
		r.begun = process.Now()
	}
	first := !r.looked
	r.looked = true
	if !fresh && r.ended.IsZero() {
		r.ended = now
	}
	left := r.Find(list, fresh, insist)
	parents := map[int]*target{} // which come before their children
	for _, p := range left {
		t, known := r.targets[p.Key()]
		if !known {
			p.Detail()
			// What the first look finds was there before, however closely: moments are hundredths of a second.
			t = &target{Info: p, found: now, cleanUp: !first && p.Since(r.begun) && parents[p.Parent].cleansUp()}
			r.targets[p.Key()] = t
			if !t.cleanUp {
				r.interrupt(p)
			}
		}
		parents[p.ID] = t
		late := !r.ended.IsZero() && now.Sub(r.ended) > cleanUpLimit
		if insist || late || (!t.cleanUp && now.Sub(t.found) > ignoreLimit && ignores(&p)) {
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
func ignores(p *process.Info) bool {
	p.Detail()
	return !p.Catches
}

func (r *Interrupter) interrupt(p process.Info) {
	switch {
	case p.Ignores:
		r.Signal(p, syscall.SIGTERM)
	case p.Parent == r.gonb && !compiles(p) && !process.Visible(): // GoNB interrupts it
	default:
		r.Signal(p, syscall.SIGINT)
	}
}

// Signal sends a signal, and remembers who may not get one. Any other error is that of a process that has ended already.
func (r *Interrupter) Signal(p process.Info, s syscall.Signal) {
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

// compiles reports whether GoNB has started a process to prepare a cell: it interrupts the cell only.
func compiles(p process.Info) bool { return p.Is("go") || p.Is("goimports") }

// Find gives the cell's processes: those below GoNB, those that were found before, those of its group whose parents have ended, and those
// that have left the group but have the mark; of all of them the children, too. The watch of GoNB and its gopls are no part of a cell.
// Programs that are to outlive the cell are left alone, unless the user insists: the cell may be waiting for one.
func (r *Interrupter) Find(list []process.Info, fresh, insist bool) []process.Info {
	children := map[int][]process.Info{}
	inGroup := map[int]bool{r.gonb: true}
	session := 0
	for _, p := range list {
		children[p.Parent] = append(children[p.Parent], p)
		if p.Group == r.gonb {
			inGroup[p.ID] = true
		}
		if p.ID == r.gonb {
			session = p.Session
		}
	}
	var found []process.Info
	seen := map[int]bool{r.gonb: true}
	var take func(p process.Info)
	take = func(p process.Info) {
		if seen[p.ID] || (p.Session != session && !insist && r.origin(p).Keep) {
			return
		}
		seen[p.ID] = true
		found = append(found, p)
		for _, child := range children[p.ID] {
			take(child)
		}
	}
	for _, p := range list {
		_, known := r.targets[p.Key()]
		switch {
		case known:
			take(p)
		case !fresh:
		case p.Parent == r.gonb:
			if p.Detail(); !p.Is("watched") && !p.Is("gopls") {
				take(p)
			}
		case !p.Since(r.since):
		case p.Group == r.gonb && !inGroup[p.Parent], p.Group != r.gonb && r.origin(p).Mark == r.mark:
			take(p)
		}
	}
	return found
}

// origin is where a process comes from, looked up once.
func (r *Interrupter) origin(p process.Info) process.Origin {
	o, known := r.origins[p.Key()]
	if !known {
		o = p.Origin()
		r.origins[p.Key()] = o
	}
	return o
}
