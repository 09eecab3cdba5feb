package shells

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/wire"
)

// Most bounds the subshells that a front end may make: each costs little, but somebody may make them in a loop.
const Most = 64

// Shell runs cells one after the other. Its methods may be called from any goroutine.
type Shell struct {
	ID    string // "" is the main shell
	queue *queue
}

// Put adds a cell. It is false where the shell was deleted meanwhile: nobody will run the cell.
func (s *Shell) Put(m wire.Message) bool { return s.queue.put(m) }

// Next waits for a cell; ok is false once the shell is deleted or the kernel ends.
func (s *Shell) Next() (m wire.Message, ok bool) { return s.queue.next() }

// Drain takes all cells that wait.
func (s *Shell) Drain() []wire.Message { return s.queue.drain() }

// Set is the shells of one kernel. Its methods may be called from any goroutine.
type Set struct {
	Main *Shell

	mu     sync.Mutex
	others []*Shell // in the order in which they were made
	closed bool
}

// New is a kernel's main shell, with no other.
func New() *Set { return &Set{Main: &Shell{queue: newQueue()}} }

// Create makes a subshell and starts what runs its cells. Kind Busy: there are as many as there may be. Kind Unavailable: the kernel is
// ending.
func (s *Set) Create(start func(*Shell)) (*Shell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, fault.New(fault.Unavailable, "start it again", "the kernel is ending")
	case len(s.others) >= Most:
		return nil, fault.New(fault.Busy, "delete one, or use one for several purposes", "there are already %d subshells", Most)
	}
	shell := &Shell{ID: wire.NewID(), queue: newQueue()}
	s.others = append(s.others, shell)
	start(shell)
	return shell, nil
}

// Delete ends a subshell and gives the cells that still waited in it. What runs in it goes on to its end. raw is its id as JSON.
func (s *Set) Delete(raw string) ([]wire.Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shell, err := s.find(raw)
	if err != nil {
		return nil, err
	}
	if shell == s.Main {
		return nil, fault.New(fault.Request, "give the subshell_id from the answer to create_subshell_request", "no subshell is named")
	}
	s.others = slices.DeleteFunc(s.others, func(other *Shell) bool { return other == shell })
	shell.queue.close()
	return shell.queue.drain(), nil
}

// IDs are those of the subshells, in the order in which they were made.
func (s *Set) IDs() []string {
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
func (s *Set) Find(raw string) (*Shell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(raw)
}

// find is Find for a caller that holds the lock.
func (s *Set) find(raw string) (*Shell, error) {
	if raw == "" || raw == "null" {
		return s.Main, nil
	}
	var id string
	if json.Unmarshal([]byte(raw), &id) != nil || id == "" {
		return nil, fault.New(fault.Request, "give the text from the answer to create_subshell_request, or leave it out for the main shell",
			"subshell_id is %s", short(raw))
	}
	if at := slices.IndexFunc(s.others, func(other *Shell) bool { return other.ID == id }); at >= 0 {
		return s.others[at], nil
	}
	return nil, fault.New(fault.NotFound, "open another one (create_subshell_request); restarting the kernel ends them all",
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
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.Main.queue.close()
	for _, shell := range s.others {
		shell.queue.close()
	}
}
