package process

import (
	"path/filepath"
	"strconv"
)

// Info describes a process of this machine at the time of the list.
type Info struct {
	ID, Parent, Session int
	Started             uint64   // in ticks of the system; distinguishes processes that reuse an ID
	Command             []string // program and arguments
	Ignores             bool     // SIGINT is ignored
}

// Name returns the program's name and the process id, for the user to read.
// Before Detail it returns only the id.
func (p Info) Name() string {
	if len(p.Command) == 0 {
		return "process " + strconv.Itoa(p.ID)
	}
	return filepath.Base(p.Command[0]) + " (process " + strconv.Itoa(p.ID) + ")"
}

// Key identifies a process, even if its id is reused later.
type Key struct {
	ID      int
	Started uint64
}

// Key returns the key of the process.
func (p Info) Key() Key { return Key{p.ID, p.Started} }

// Below returns the descendants of the process root, parents before their
// children. It omits processes for which leave returns true, and their
// descendants. leave may be nil.
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
			if p.ID != root && (leave == nil || !leave(p)) {
				found = append(found, p)
				parents = append(parents, p.ID)
			}
		}
	}
	return found
}
