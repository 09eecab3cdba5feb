package jupyter

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/errs"
)

// MostShells bounds the subshells that a front end may make: each costs little, but somebody may make them in a loop.
const MostShells = 64

// Shell holds the cells that wait for their turn: of the main shell, or of a subshell that a front end has made beside it (JEP 91). Its
// methods may be called from any goroutine.
type Shell struct {
	ID string // "" is the main shell

	mu     sync.Mutex
	cells  []Message
	closed bool
	news   *sync.Cond
}

func newShell(id string) *Shell {
	s := &Shell{ID: id}
	s.news = sync.NewCond(&s.mu)
	return s
}

// Put adds a cell. It is false where the shell was deleted meanwhile: nobody will run the cell.
func (s *Shell) Put(m Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.cells = append(s.cells, m)
	s.news.Signal()
	return true
}

// Next waits for a cell; ok is false once the shell is deleted or the kernel ends.
func (s *Shell) Next() (m Message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.cells) == 0 && !s.closed {
		s.news.Wait()
	}
	if s.closed {
		return m, false
	}
	m, s.cells = s.cells[0], s.cells[1:]
	return m, true
}

// Drain takes all cells that wait.
func (s *Shell) Drain() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.cells
	s.cells = nil
	return waiting
}

func (s *Shell) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.news.Broadcast()
}

// Shells are those of one kernel. Its methods may be called from any goroutine.
type Shells struct {
	Main *Shell

	mu     sync.Mutex
	others []*Shell // in the order in which they were made
	closed bool
}

// NewShells is a kernel's main shell, with no other.
func NewShells() *Shells { return &Shells{Main: newShell("")} }

// Create makes a subshell and starts what runs its cells. Kind Busy: there are as many as there may be. Kind Unavailable: the kernel is
// ending.
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

// Delete ends a subshell and gives the cells that still waited in it. What runs in it goes on to its end. raw is its id as JSON.
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

// IDs are those of the subshells, in the order in which they were made.
func (s *Shells) IDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for _, shell := range s.others {
		ids = append(ids, shell.ID)
	}
	return ids
}

// Find is the shell that a header's subshell_id names. raw is that as JSON; "" and null are the main shell. Kind Request: it is no name.
// Kind NotFound: there is no such subshell, or no longer.
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

// short is JSON in an error: one line, and not a long one.
func short(raw string) string {
	const longest = 60
	raw = strings.Join(strings.Fields(strings.ToValidUTF8(raw, "?")), " ")
	if runes := []rune(raw); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return raw
}

// Close ends all shells. Cells that wait are not run.
func (s *Shells) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.Main.close()
	for _, shell := range s.others {
		shell.close()
	}
}
