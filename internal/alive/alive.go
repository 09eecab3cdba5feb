// Package alive tells whether a process runs, and ends this one's work with it.
//
// [Process] asks about any process. [With] gives a context that ends when the parent does: where the system can signal that (Linux) at
// once, elsewhere by looking now and then. Process numbers are used again, so an old number may name another process.
package alive

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// Process reports whether a process runs, whosever it is. One that has ended and waits for its parent to take notice does not: where
// there is a /proc, that is seen.
func Process(pid int) bool {
	if pid < 1 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	// pid (name) state …; the name may hold anything.
	_, rest, found := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(") "))
	return !found || len(rest) == 0 || (rest[0] != 'Z' && rest[0] != 'X')
}
