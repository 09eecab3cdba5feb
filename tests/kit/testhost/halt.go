package testhost

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Halt stops a process, as if it hung. If the system shows threads, Halt waits
// until all of them have stopped, because the signal reaches them one by one
// and the others still answer. The caller must resume the process with SIGCONT.
func Halt(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil {
			return err
		}
		run := 0
		for _, path := range threads {
			stat, err := os.ReadFile(path)
			if err == nil && !bytes.Contains(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" T ")) {
				run++
			}
		}
		if run == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d threads of process %d do not stop", run, pid)
		}
	}
}
