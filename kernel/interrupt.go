package kernel

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
	huntPause    = 25 * time.Millisecond
	ignoreLimit  = 600 * time.Millisecond  // for processes that do nothing of their own about an interrupt
	cleanUpLimit = 5500 * time.Millisecond // for those that do, once their cell has ended
	remindAfter  = 2 * time.Second
	insistAfter  = 500 * time.Millisecond // a second interrupt sooner is the first one, sent twice
)

// stillCleaning is said of a cell that takes its time.
const stillCleaning = "interrupted: the cell is cleaning up; interrupt again to end it at once\n"

// Interrupt pauses the step or run that a cell waits for, or ends the Go cell. Without a running cell it does nothing. A second one does
// not wait for the cell to clean up.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.running
	if e == nil {
		return
	}
	if e.interrupted.IsZero() {
		e.interrupted = time.Now()
	} else if time.Since(e.interrupted) > insistAfter {
		e.insist()
	}
	e.interrupt()
}

// hunt ends what a Go cell has started. GoNB would interrupt the cell's own process, kill it five seconds later, and wait until everybody
// has let go of its output, so a program that the cell has started would keep it running.
//
// Each process is interrupted once, as Ctrl-C in a terminal does: one that cleans up must not be told twice, and what it starts for that not
// at all. Those to which an interrupt is nothing are killed soon after. Those that do something about it have the time that they take,
// until a second interrupt, or for a while once their cell has ended.
type hunt struct {
	gonb  int
	mark  string         // of what cells have started
	since process.Moment // processes of earlier cells, which may have been left behind on purpose, are older
	lasts func()         // called once, where the cell takes its time

	mu      sync.Mutex
	prey    map[process.Key]*quarry
	origins map[process.Key]process.Origin
	beyond  map[process.Key]string // programs that may not be signalled: another user's, such as sudo
	begun   process.Moment         // when it was interrupted
	looked  bool                   // since then
	ended   time.Time              // when the cell had ended; zero: it has not
}

type quarry struct {
	process.Info
	found  time.Time
	spared bool // it was started to clean up
}

func newHunt(gonb int, mark string) *hunt {
	return &hunt{
		gonb: gonb, mark: mark, since: process.Now(), lasts: func() {},
		prey: map[process.Key]*quarry{}, origins: map[process.Key]process.Origin{}, beyond: map[process.Key]string{},
	}
}

// run hunts until nothing is left. Once over is closed the cell has ended, and what GoNB starts from then on is another cell's.
func (h *hunt) run(over, insist <-chan struct{}) {
	tick := time.NewTicker(huntPause)
	defer tick.Stop()
	remind := time.AfterFunc(remindAfter, func() {
		if !done(over) && !done(insist) {
			h.lasts()
		}
	})
	defer remind.Stop()
	for {
		ended := done(over)
		left := h.round(!ended, done(insist))
		if ended {
			remind.Stop()
			if left == 0 || h.waitedFor(cleanUpLimit+time.Second) {
				return
			}
		}
		<-tick.C
	}
}

// waitedFor reports whether the cell has ended that long ago.
func (h *hunt) waitedFor(limit time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.ended.IsZero() && time.Since(h.ended) > limit
}

func done(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// round looks once and gives how many are left. fresh also takes what is new: without it the cell has ended.
func (h *hunt) round(fresh, insist bool) int {
	list, err := process.List()
	if err != nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.begun == (process.Moment{}) {
		h.begun = process.Now()
	}
	first := !h.looked
	h.looked = true
	if !fresh && h.ended.IsZero() {
		h.ended = now
	}
	left := h.find(list, fresh, insist)
	parents := map[int]*quarry{} // which come before their children
	for _, p := range left {
		q, known := h.prey[p.Key()]
		if !known {
			p.Detail()
			// What the first look finds was there before, however closely: moments are hundredths of a second.
			q = &quarry{Info: p, found: now, spared: !first && p.Since(h.begun) && parents[p.Parent].cleansUp()}
			h.prey[p.Key()] = q
			if !q.spared {
				h.tell(p)
			}
		}
		parents[p.ID] = q
		over := !h.ended.IsZero() && now.Sub(h.ended) > cleanUpLimit
		if insist || over || (!q.spared && now.Sub(q.found) > ignoreLimit && h.ignores(&p)) {
			h.signal(q.Info, syscall.SIGKILL)
		}
	}
	return len(left)
}

// cleansUp reports whether a process does something of its own about the interrupt that it got.
func (q *quarry) cleansUp() bool {
	if q == nil || q.spared {
		return q != nil
	}
	q.Detail()
	return q.Catches
}

// ignores looks again: a process that was just begun had not arranged its signals yet.
func (h *hunt) ignores(p *process.Info) bool {
	p.Detail()
	return !p.Catches
}

func (h *hunt) tell(p process.Info) {
	switch {
	case p.Ignores:
		h.signal(p, syscall.SIGTERM)
	case p.Parent == h.gonb && !compiles(p) && !process.Sees(): // GoNB interrupts it
	default:
		h.signal(p, syscall.SIGINT)
	}
}

// signal sends a signal, and remembers who may not get one. Any other error is that of a process that has ended already.
func (h *hunt) signal(p process.Info, s syscall.Signal) {
	if errors.Is(syscall.Kill(p.ID, s), syscall.EPERM) {
		h.beyond[p.Key()] = p.Name()
	}
}

// outOfReach names, for people, the programs that the cell waits for and nobody here can end.
func (h *hunt) outOfReach() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.beyond) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Values(h.beyond))
	return "; another user's " + strings.Join(slices.Compact(names), ", ") + " cannot be ended from here and runs on"
}

// compiles reports whether GoNB has started a process to prepare a cell: it interrupts the cell only.
func compiles(p process.Info) bool { return p.Is("go") || p.Is("goimports") }

// find gives the cell's processes: those below GoNB, those that were found before, those of its group whose parents have ended, and those
// that have left the group but have the mark; of all of them the children, too. The watch of GoNB and its gopls are no part of a cell. What is
// to be kept is left alone, unless somebody insists: it may be what the cell waits for.
func (h *hunt) find(list []process.Info, fresh, insist bool) []process.Info {
	children := map[int][]process.Info{}
	inGroup := map[int]bool{h.gonb: true}
	session := 0
	for _, p := range list {
		children[p.Parent] = append(children[p.Parent], p)
		if p.Group == h.gonb {
			inGroup[p.ID] = true
		}
		if p.ID == h.gonb {
			session = p.Session
		}
	}
	var found []process.Info
	seen := map[int]bool{h.gonb: true}
	var take func(p process.Info)
	take = func(p process.Info) {
		if seen[p.ID] || (p.Session != session && !insist && h.origin(p).Keep) {
			return
		}
		seen[p.ID] = true
		found = append(found, p)
		for _, child := range children[p.ID] {
			take(child)
		}
	}
	for _, p := range list {
		_, known := h.prey[p.Key()]
		switch {
		case known:
			take(p)
		case !fresh:
		case p.Parent == h.gonb:
			if p.Detail(); !p.Is("watched") && !p.Is("gopls") {
				take(p)
			}
		case !p.Since(h.since):
		case p.Group == h.gonb && !inGroup[p.Parent], p.Group != h.gonb && h.origin(p).Mark == h.mark:
			take(p)
		}
	}
	return found
}

// origin is where a process comes from, looked up once.
func (h *hunt) origin(p process.Info) process.Origin {
	o, known := h.origins[p.Key()]
	if !known {
		o = p.Origin()
		h.origins[p.Key()] = o
	}
	return o
}
