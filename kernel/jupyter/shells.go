package jupyter

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/errs"
)

// MostShells bounds the subshells of a kernel, in case a front end creates them
// in a loop.
const MostShells = 64

// Shell holds the waiting cells of the main shell or of a subshell (JEP 91).
// Its methods may be called from any goroutine.
type Shell struct {
	ID string // "" for the main shell

	mu      sync.Mutex
	cells   []Message
	closed  bool
	changed *sync.Cond
}

func newShell(id string) *Shell {
	s := &Shell{ID: id}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Put adds a cell. If the shell has been deleted, it returns false, and the
// cell won't run.
func (s *Shell) Put(m Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.cells = append(s.cells, m)
	s.changed.Signal()
	return true
}

// Next waits for a cell. ok is false once the shell is deleted or the kernel
// ends.
func (s *Shell) Next() (m Message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.cells) == 0 && !s.closed {
		s.changed.Wait()
	}
	if s.closed {
		return m, false
	}
	m, s.cells = s.cells[0], s.cells[1:]
	return m, true
}

// Drain removes and returns all waiting cells.
func (s *Shell) Drain() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.cells
	s.cells = nil
	return waiting
}

// close makes Put and Next return false from now on.
func (s *Shell) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
}

// Shells holds the shells of one kernel. Its methods may be called from any
// goroutine.
type Shells struct {
	Main *Shell

	mu     sync.Mutex
	others []*Shell // in order of creation
	closed bool
}

// NewShells returns a main shell without subshells.
func NewShells() *Shells { return &Shells{Main: newShell("")} }

// Create creates a subshell. start must start a goroutine that runs its cells.
// The error is of kind Busy if there are too many, and Unavailable if the
// kernel is ending.
func (s *Shells) Create(start func(*Shell)) (*Shell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errs.New(errs.Unavailable, "start it again", "the kernel is ending")
	case len(s.others) >= MostShells:
		return nil, errs.New(errs.Busy, "delete one, or use one for several purposes", "there are already %d subshells", MostShells)
	}
	shell := newShell(NewID())
	s.others = append(s.others, shell)
	start(shell)
	return shell, nil
}

// Delete ends a subshell and returns the cells that wait in it. A running cell
// continues to its end. raw is the subshell's id as JSON.
func (s *Shells) Delete(raw string) ([]Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shell, err := s.find(raw)
	if err != nil {
		return nil, err
	}
	if shell == s.Main {
		return nil, errs.New(errs.Request, "give the subshell_id from the answer to create_subshell_request", "no subshell is named")
	}

	s.others = slices.DeleteFunc(s.others, func(other *Shell) bool { return other == shell })
	shell.close()
	return shell.Drain(), nil
}

// IDs returns the ids of the subshells in order of creation.
func (s *Shells) IDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for _, shell := range s.others {
		ids = append(ids, shell.ID)
	}
	return ids
}

// Find returns the shell that a header's subshell_id names. raw is the id as
// JSON; "" and null mean the main shell. The error is of kind Request if raw
// isn't an id, and NotFound if there is no subshell of that id.
func (s *Shells) Find(raw string) (*Shell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(raw)
}

// find is Find for a caller that holds the lock.
func (s *Shells) find(raw string) (*Shell, error) {
	if raw == "" || raw == "null" {
		return s.Main, nil
	}

	var id string
	if json.Unmarshal([]byte(raw), &id) != nil || id == "" {
		return nil, errs.New(errs.Request, "give the text from the answer to create_subshell_request, or leave it out for the main shell",
			"subshell_id is %s", short(raw))
	}

	if at := slices.IndexFunc(s.others, func(other *Shell) bool { return other.ID == id }); at >= 0 {
		return s.others[at], nil
	}
	return nil, errs.New(errs.NotFound, "open another one (create_subshell_request); restarting the kernel ends them all",
		"there is no subshell %s", short(raw))
}

// short shortens JSON to one line of limited length, for an error.
func short(raw string) string {
	const longest = 60
	raw = strings.Join(strings.Fields(strings.ToValidUTF8(raw, "?")), " ")
	if runes := []rune(raw); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return raw
}

// Close ends all shells and makes Create fail from now on. Running cells
// continue, but waiting ones won't run.
func (s *Shells) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.Main.close()
	for _, shell := range s.others {
		shell.close()
	}
}
