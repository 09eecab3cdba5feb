package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// Directory is a private directory that belongs to this process: nobody removes it while the process lives.
type Directory struct {
	Path string

	mu   sync.Mutex
	lock *os.File // held: it tells others that the owner lives
}

// lockName is the file in a directory that its owner keeps locked. It names the owner's machine.
const lockName = "lock"

// NewDirectory makes a private directory in parent, and removes those of processes that are gone: one that was killed cannot do it itself.
// Its name tells people the number of the process. That number says nothing about who lives: where parent is shared between containers or
// machines, each counts its own.
func NewDirectory(parent, prefix string) (*Directory, error) {
	sweep(parent, prefix)
	for {
		path, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
		if err != nil {
			return nil, err
		}
		d, err := lock(path)
		if err == nil {
			return d, nil
		}
		// Otherwise somebody who sweeps has come between making the directory and locking it.
		if !errors.Is(err, system.ErrHeld) && !errors.Is(err, fs.ErrNotExist) {
			os.RemoveAll(path) //nolint:errcheck // the error says what is wrong there
			return nil, err
		}
	}
}

// lock makes a new directory this process's. On a file system without locks it stays unlocked, and nobody can sweep it.
func lock(path string) (*Directory, error) {
	name := filepath.Join(path, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	f.WriteString(strings.Join(machine(), "\n")) //nolint:errcheck // on a full disk nobody can tell whose it is, and leaves it alone
	err = system.LockExclusive(f)
	if (err == nil || errors.Is(err, system.ErrUnsupported)) && system.IsAt(f, name) {
		return &Directory{Path: path, lock: f}, nil
	}
	f.Close()
	if err == nil {
		err = fs.ErrNotExist
	}
	return nil, err
}

// Restore makes the directory again where something else has removed it or its lock, as programs do that clean temporary directories.
func (d *Directory) Restore() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := filepath.Join(d.Path, lockName)
	if system.IsAt(d.lock, name) {
		return nil
	}
	slog.Warn("a directory of the kernel's was removed, and is made again", "directory", d.Path)
	if err := os.MkdirAll(d.Path, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(d.Path)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || info.Mode().Perm() != 0o700 || ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is not private", d.Path) // another user was faster
	}
	os.Remove(name) //nolint:errcheck // lock says what is wrong
	again, err := lock(d.Path)
	if err != nil {
		return err
	}
	d.lock.Close()
	d.lock = again.lock
	return nil
}

// Remove removes the directory with all that is in it, and lets its lock go.
func (d *Directory) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := os.RemoveAll(d.Path)
	d.lock.Close() //nolint:errcheck // nothing was written since
	return err
}

const longestPrefix = 80 // bytes of a directory whose sockets every system can bind

// NewSocketDirectory makes a Directory with a short path, for sockets. It is never in the home, which may be on a network file system.
func NewSocketDirectory(prefix string) (*Directory, error) {
	var lastError error
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if parent == "" || len(parent) > longestPrefix {
			continue
		}
		dir, err := NewDirectory(parent, prefix)
		if err == nil {
			return dir, nil
		}
		lastError = err
	}
	return nil, errs.Wrap(lastError, errs.Failed, "set XDG_RUNTIME_DIR or TMPDIR to a directory that you may write to",
		"no directory for sockets")
}

func sweep(parent, prefix string) {
	found, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range found {
		pid, ok := owner(filepath.Base(dir), prefix)
		switch {
		case !ok:
		case abandoned(dir):
			go removeAgain(dir)
		case !system.Alive(pid):
			go sweepAgain(dir)
		}
	}
}

// A killed process's directory is looked at again so often, so far apart.
const again, pause = 10, 500 * time.Millisecond

// sweepAgain sweeps the directory of a process that was killed a moment ago: one that it was just about to start still holds the lock.
func sweepAgain(dir string) {
	for range again {
		time.Sleep(pause)
		if abandoned(dir) {
			removeAgain(dir)
			return
		}
	}
}

// abandoned removes a directory whose owner is gone, and reports whether it did. What it cannot tell it leaves alone.
func abandoned(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Remove(dir) == nil // only an empty one: its owner was killed before it could lock it, or makes another
	}
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil || !ours(string(text)) || system.LockExclusive(f) != nil {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, entry := range entries { // the lock comes last: whoever is killed on the way leaves the rest to the next one
		if entry.Name() != lockName {
			os.RemoveAll(filepath.Join(dir, entry.Name())) //nolint:errcheck // it is tried again
		}
	}
	os.RemoveAll(dir) //nolint:errcheck // as above
	return true
}

// machine names this machine: by its name, and by its start where the system tells, which all its containers have in common.
func machine() []string {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	start, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return []string{name}
	}
	return []string{name, strings.TrimSpace(string(start))}
}

// ours reports whether the owner of a lock runs, or ran, on this machine. A lock of another one may look free from here: some network file
// systems keep locks to the machine that took them.
func ours(text string) bool {
	theirs := strings.Split(text, "\n")
	return slices.ContainsFunc(machine(), func(word string) bool { return slices.Contains(theirs, word) })
}

// owner is the process that a directory of that name belongs to.
func owner(name, prefix string) (pid int, ok bool) {
	id, ok := strings.CutPrefix(name, prefix)
	id, _, _ = strings.Cut(id, "-")
	pid, err := strconv.Atoi(id)
	return pid, ok && err == nil && pid > 0
}

// removeAgain removes a directory again for a while: what a killed process had started may be writing its last files, and a compiler makes
// its directory anew, with all above it. Another user's stays.
func removeAgain(dir string) {
	for range again {
		time.Sleep(pause)
		os.RemoveAll(dir) //nolint:errcheck // as above
	}
}
