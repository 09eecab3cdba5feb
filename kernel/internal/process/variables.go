package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// Variables holds environment variables for processes that start later, in
// addition to those of this process. This process doesn't see them, so a cell
// that sets TMPDIR can't change the kernel's temporary directory. The zero
// value holds no variables, and so does a nil pointer.
type Variables struct {
	mu  sync.Mutex
	set []string // as NAME=value
}

// Set sets a variable.
func (v *Variables) Set(name, value string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set = slices.DeleteFunc(v.set, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	v.set = append(v.set, name+"="+value)
}

// Get returns the value of a variable, or "" if neither v nor this process has
// it.
func (v *Variables) Get(name string) string {
	for _, e := range v.list() {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return os.Getenv(name)
}

// Environment returns the environment of this process with the variables of v
// and then those of more, as NAME=value. The last entry of a name counts.
func (v *Variables) Environment(more ...string) []string {
	return append(append(os.Environ(), v.list()...), more...)
}

// Remedy returns what to do if one of v's variables has ended a process, as
// "; %env A= empties A, which a cell has set to \"b\"". It returns "" if v holds
// no variable with a value.
func (v *Variables) Remedy() string {
	var b strings.Builder
	for _, e := range v.list() {
		if name, value, _ := strings.Cut(e, "="); value != "" {
			fmt.Fprintf(&b, "; %%env %s= empties %s, which a cell has set to %q", name, name, value)
		}
	}
	return b.String()
}

func (v *Variables) list() []string {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.set)
}
