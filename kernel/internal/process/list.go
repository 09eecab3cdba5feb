package process

import (
	"path/filepath"
	"slices"
	"strconv"
)

// Info is one process of this machine, as it was when the list was made.
type Info struct {
	ID, Parent, Group int
	Session           int      // 0 where that is not known
	Started           uint64   // in the system's ticks: with ID it tells a process from a later one of that number
	Command           []string // as it was started
	Ignores           bool     // an interrupt (SIGINT) does nothing to it
	Catches           bool     // it does something of its own about an interrupt
}

// Is reports whether one of the first words of the command is this program, as a script's is behind its interpreter.
func (p Info) Is(program string) bool {
	return slices.ContainsFunc(p.Command[:min(len(p.Command), 2)], func(word string) bool { return filepath.Base(word) == program })
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

// Moment is a point between the starts of processes.
type Moment struct {
	ticks uint64
	last  int // process id given until then
}

// Since reports whether the process was started after a moment.
func (p Info) Since(m Moment) bool {
	return p.Started > m.ticks || (p.Started == m.ticks && p.ID > m.last)
}
