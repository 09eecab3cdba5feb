package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/alive"
)

// Directory makes a private directory in parent whose name tells which process it belongs to, and removes those of processes that are
// gone: one that was killed cannot do it itself.
func Directory(parent, prefix string) (string, error) {
	sweep(parent, prefix)
	return os.MkdirTemp(parent, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
}

const longestPrefix = 80 // bytes of a directory whose sockets every system can bind

// SocketDirectory is a Directory with a short path, for sockets. It is never in the home, which may be on a network file system.
func SocketDirectory(prefix string) (string, error) {
	var lastError error
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if parent == "" || len(parent) > longestPrefix {
			continue
		}
		dir, err := Directory(parent, prefix)
		if err == nil {
			return dir, nil
		}
		lastError = err
	}
	return "", fault.Wrap(lastError, fault.Failed, "set XDG_RUNTIME_DIR or TMPDIR to a directory that you may write to", "no directory for sockets")
}

func sweep(parent, prefix string) {
	found, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range found {
		if pid, ok := owner(filepath.Base(dir), prefix); ok && !alive.Process(pid) {
			os.RemoveAll(dir) //nolint:errcheck // it is tried again
			go removeAgain(dir)
		}
	}
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
	const times, pause = 10, 500 * time.Millisecond
	for range times {
		time.Sleep(pause)
		os.RemoveAll(dir) //nolint:errcheck // as above
	}
}
