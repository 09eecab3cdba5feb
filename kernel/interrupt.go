package kernel

import (
	"syscall"
	"time"

	"fsnetlab/kernel/internal/process"
)

const (
	huntPause    = 25 * time.Millisecond
	ignoreLimit  = 600 * time.Millisecond  // for processes that do nothing of their own about an interrupt
	cleanUpLimit = 5500 * time.Millisecond // for those that do; GoNB gives its own child five seconds
	insistAfter  = 500 * time.Millisecond  // a second interrupt sooner is the first one, sent twice
)

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

// hunt ends what a Go cell has started. GoNB interrupts the cell's own process and waits until everybody has let go of its output, so a
// program that the cell has started would keep it running.
//
// Each process is interrupted once, as Ctrl-C in a terminal does: one that cleans up must not be told twice. Those to which that is
// nothing are killed soon after, the others once they had their time.
type hunt struct {
	gonb  int
	since process.Moment // processes of earlier cells, which may have been left behind on purpose, are older
	prey  map[process.Key]*quarry
}

type quarry struct {
	process.Info
	found time.Time
}

func newHunt(gonb int) *hunt {
	return &hunt{gonb: gonb, since: process.Now(), prey: map[process.Key]*quarry{}}
}

// run hunts until nothing is left. Once over is closed the cell has ended, and what GoNB starts from then on is another cell's.
func (h *hunt) run(over, insist <-chan struct{}) {
	tick := time.NewTicker(huntPause)
	defer tick.Stop()
	for end := time.Now().Add(cleanUpLimit + time.Second); time.Now().Before(end); {
		select {
		case <-over:
			if left := h.round(false, done(insist)); left == 0 {
				return
			}
		default:
			h.round(true, done(insist))
		}
		<-tick.C
	}
}

func done(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// round looks once and gives how many are left. fresh also takes what GoNB has started itself.
func (h *hunt) round(fresh, insist bool) int {
	list, err := process.List()
	if err != nil {
		return 0
	}
	now := time.Now()
	left := h.find(list, fresh)
	for _, p := range left {
		q, known := h.prey[p.Key()]
		if !known {
			p.Detail()
			q = &quarry{Info: p, found: now}
			h.prey[p.Key()] = q
			h.tell(p)
		}
		if waited := now.Sub(q.found); insist || waited > cleanUpLimit || (waited > ignoreLimit && h.ignores(&p)) {
			syscall.Kill(p.ID, syscall.SIGKILL) //nolint:errcheck // it has ended already
		}
	}
	return len(left)
}

// ignores looks again: a process that was just begun had not arranged its signals yet.
func (h *hunt) ignores(p *process.Info) bool {
	p.Detail()
	return !p.Catches
}

func (h *hunt) tell(p process.Info) {
	switch {
	case p.Ignores:
		syscall.Kill(p.ID, syscall.SIGTERM) //nolint:errcheck // it has ended already
	case p.Parent == h.gonb && !compiles(p): // GoNB interrupts it
	default:
		syscall.Kill(p.ID, syscall.SIGINT) //nolint:errcheck // it has ended already
	}
}

// compiles reports whether GoNB has started a process to prepare a cell: it interrupts the cell only.
func compiles(p process.Info) bool { return p.Is("go") || p.Is("goimports") }

// find gives the cell's processes: those below GoNB, those that were found before, and those of its group whose parents have ended; of
// all of them the children, too. The watch of GoNB and its gopls are no part of a cell.
func (h *hunt) find(list []process.Info, fresh bool) []process.Info {
	children := map[int][]process.Info{}
	inGroup := map[int]bool{h.gonb: true}
	for _, p := range list {
		children[p.Parent] = append(children[p.Parent], p)
		if p.Group == h.gonb {
			inGroup[p.ID] = true
		}
	}
	var found []process.Info
	seen := map[int]bool{h.gonb: true}
	var take func(p process.Info)
	take = func(p process.Info) {
		if seen[p.ID] {
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
		case p.Group == h.gonb && !inGroup[p.Parent] && p.Since(h.since):
			take(p)
		}
	}
	return found
}
