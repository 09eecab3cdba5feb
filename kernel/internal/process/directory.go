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

// Directory is a private directory of this process. Other kernels remove it
// only after the process has ended.
type Directory struct {
	Path string

	mu   sync.Mutex
	lock *os.File // locked while the owner lives
}

// lockName is the file in a directory that its owner keeps locked. The file
// holds the name of the owner's machine.
const lockName = "lock"

// NewDirectory makes a private directory in parent, and removes directories of
// processes that were killed. The process id in its name is only for people to
// read, because containers and machines that share parent may use the same ids.
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
		// If lock fails in one of these ways, another process swept the
		// directory before it was locked.
		if !errors.Is(err, system.ErrHeld) && !errors.Is(err, fs.ErrNotExist) {
			os.RemoveAll(path) //nolint:errcheck // the first error counts
			return nil, err
		}
	}
}

// lock locks a new directory for this process. On a file system without locks,
// the directory stays unlocked and is never swept. The error is ErrHeld or
// ErrNotExist if another process has swept the directory.
func lock(path string) (*Directory, error) {
	name := filepath.Join(path, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	f.WriteString(strings.Join(machine(), "\n")) //nolint:errcheck // without the name, sweeping leaves it alone

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

// Restore makes the directory again, empty, if another program has removed it
// or its lock. Cleaners of temporary files do that. It fails if another user
// has made a directory there.
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

// Remove removes the directory with its contents, and releases its lock.
func (d *Directory) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := os.RemoveAll(d.Path)
	d.lock.Close() //nolint:errcheck // nothing was written since
	return err
}

const longestPrefix = 80 // bytes of a parent directory in which every system can bind sockets

// NewSocketDirectory makes a Directory with a short path, for sockets. It
// avoids the home directory, because that may be on a network file system.
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

// sweep removes the directories of processes that have ended. It looks again,
// in the background, at those that may still be in use.
func sweep(parent, prefix string) {
	for _, dir := range Beginning(parent, prefix) {
		pid, ok := owner(filepath.Base(dir), prefix)
		switch {
		case !ok:
		case removeAbandoned(dir):
			go removeAgain(dir)
		case !system.Alive(pid):
			go sweepAgain(dir)
		}
	}
}

// sweeps is how often the directory of a killed process is examined, and
// sweepPause is the pause in between.
const sweeps, sweepPause = 10, 500 * time.Millisecond

// sweepAgain sweeps the directory of a process that was killed a moment ago. A
// child that the process was just starting may still hold the lock.
func sweepAgain(dir string) {
	for range sweeps {
		time.Sleep(sweepPause)
		if removeAbandoned(dir) {
			removeAgain(dir)
			return
		}
	}
}

// removeAbandoned removes a directory if its owner has ended, and reports
// whether it did. In doubt it leaves the directory alone.
func removeAbandoned(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		// Remove succeeds only if the directory is empty. In that case the
		// owner was killed before locking it, or will make another one.
		return os.Remove(dir) == nil
	}
	if err != nil {
		return false
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil || !isOurs(string(text)) || system.LockExclusive(f) != nil {
		return false
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	// The lock is removed last, so that the next sweep continues an interrupted
	// one.
	for _, entry := range entries {
		if entry.Name() != lockName {
			os.RemoveAll(filepath.Join(dir, entry.Name())) //nolint:errcheck // removeAgain tries again
		}
	}
	os.RemoveAll(dir) //nolint:errcheck // as above
	return true
}

// machine identifies this machine by its host name and, on Linux, by its boot
// id. All its containers share that.
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

// isOurs reports whether the owner of a lock ran on this machine. Some network
// file systems don't show the locks of other machines, so sweeping must leave
// their directories alone.
func isOurs(text string) bool {
	theirs := strings.Split(text, "\n")
	return slices.ContainsFunc(machine(), func(word string) bool { return slices.Contains(theirs, word) })
}

// owner returns the process id in the name of a directory. ok is false if the
// name has none.
func owner(name, prefix string) (pid int, ok bool) {
	id, ok := strings.CutPrefix(name, prefix)
	id, _, _ = strings.Cut(id, "-")
	pid, err := strconv.Atoi(id)
	return pid, ok && err == nil && pid > 0
}

// removeAgain removes a directory repeatedly for a while. Children of a killed
// process may still write files there, and a compiler recreates its directory
// together with the parents. removeAgain can't remove another user's directory.
func removeAgain(dir string) {
	for range sweeps {
		time.Sleep(sweepPause)
		os.RemoveAll(dir) //nolint:errcheck // as above
	}
}
