package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fsnetlab/internal/alive"
)

// process is one that has the test's mark.
type process struct {
	id   int
	name string
}

// cellProgram is what a Go cell has become.
const cellProgram = "a program of a cell"

// pause is how often something that has no event is looked at.
const pause = 2 * time.Millisecond

// processes are all that live and have the mark.
func (l *killedNotebook) processes() []process {
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var list []process
	for _, dir := range found {
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), l.mark) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && alive.Process(id) {
			list = append(list, process{id, l.nameOf(dir)})
		}
	}
	return list
}

// nameOf says what a process is by its command line.
func (l *killedNotebook) nameOf(dir string) string {
	words := commandOf(dir)
	if len(words) == 0 {
		return "?"
	}
	program := filepath.Base(words[0])
	switch {
	case len(words) > 1 && (words[1] == "kernel" || words[1] == "host") && program == filepath.Base(os.Args[0]):
		return words[1]
	case regexp.MustCompile(`^gonb_[0-9a-f]+$`).MatchString(program):
		return cellProgram
	default:
		return program
	}
}

// find waits for a process of that name. The newest one is meant: an older one may be ending.
func (l *killedNotebook) find(ctx context.Context, name string) (int, error) {
	best := 0
	err := patiently(ctx, func() bool {
		for _, p := range l.processes() {
			if p.name == name {
				best = max(best, p.id)
			}
		}
		return best > 0
	})
	if err != nil {
		return 0, fmt.Errorf("no %s is running, but %v: %w", name, l.processes(), err)
	}
	return best, nil
}

func (l *killedNotebook) runs(name string) bool {
	return slices.ContainsFunc(l.processes(), func(p process) bool { return p.name == name })
}

// gone waits until a process has ended.
func gone(ctx context.Context, what string, id int) error {
	if err := patiently(ctx, func() bool { return !alive.Process(id) }); err != nil {
		return fmt.Errorf("%s (%d) lives on: %w", what, id, err)
	}
	return nil
}

// leftovers are the directories for sockets and cells that are no running kernel's, and sockets outside them, after the next start has had
// its time to remove what a killed kernel left. Kernel 0 is none.
func (l *killedNotebook) leftovers(ctx context.Context, kernel int) (left []string) {
	patiently(ctx, func() bool { //nolint:errcheck // what is left then is the answer
		left = nil
		entries, err := os.ReadDir(l.temporary)
		if err != nil {
			return true
		}
		for _, entry := range entries {
			name := entry.Name()
			own := kernel > 0 && (strings.HasPrefix(name, fmt.Sprintf("fsnet-kernel-%d-", kernel)) ||
				strings.HasPrefix(name, fmt.Sprintf("fsnet-cells-%d-", kernel)))
			if !own && name != filepath.Base(l.kernel.file) {
				left = append(left, name)
			}
		}
		return len(left) == 0
	})
	return left
}

// inside names some of what is in a directory that was left.
func (l *killedNotebook) inside(name string) string {
	var found []string
	root := filepath.Join(l.temporary, name)
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error { //nolint:errcheck // what can be seen
		if err == nil && len(found) < 10 {
			found = append(found, strings.TrimPrefix(path, root))
		}
		return nil
	})
	return fmt.Sprintf("%q", found)
}

// patiently waits until something is so.
func patiently(ctx context.Context, so func() bool) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for !so() {
		select {
		case <-limited.Done():
			return limited.Err()
		case <-time.After(pause):
		}
	}
	return nil
}
