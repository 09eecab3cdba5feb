package process

import (
	"path/filepath"
	"strconv"
)

// Info is one process of this machine, as it was when the list was made.
type Info struct {
	ID, Parent, Session int
	Started             uint64   // in the system's ticks: with ID it tells a process from a later one of that number
	Command             []string // as it was started
	Ignores             bool     // an interrupt (SIGINT) does nothing to it
	Catches             bool     // it does something of its own about an interrupt
}

// Name is the program's name and the process's number, for people.
func (p Info) Name() string {
	if len(p.Command) == 0 {
		return "process " + strconv.Itoa(p.ID)
	}
	return filepath.Base(p.Command[0]) + " (process " + strconv.Itoa(p.ID) + ")"
}

// Key tells a process from all others, also from a later one of the same number.
type Key struct {
	ID      int
	Started uint64
}

// Key of the process.
func (p Info) Key() Key { return Key{p.ID, p.Started} }

// Below gives the processes that a process has started, parents before their children, but those that leave tells and what is below them.
func Below(list []Info, root int, leave func(Info) bool) (found []Info) {
	children := map[int][]Info{}
	for _, p := range list {
		children[p.Parent] = append(children[p.Parent], p)
	}
	parents := []int{root}
	for len(parents) > 0 {
		next := children[parents[0]]
		parents = parents[1:]
		for _, p := range next {
			if p.ID != root && !leave(p) {
				found = append(found, p)
				parents = append(parents, p.ID)
			}
		}
	}
	return found
}
