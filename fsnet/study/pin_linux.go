package study

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// cores lists the cores that this process may run on.
func cores() []int { return coresOf(0) }

// coresOf lists those of any process.
func coresOf(pid int) []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil {
		return nil
	}
	var list []int
	for core := range len(set) * 64 {
		if set.IsSet(core) {
			list = append(list, core)
		}
	}
	return list
}

// onCore does start on one core, if there is one to choose: the processes that it makes stay there from their first instruction on, so
// that whatever they load finds a single core. The calling goroutine is locked to its thread.
func onCore(core int, start func() error) error {
	var before, one unix.CPUSet
	if core < 0 || unix.SchedGetaffinity(0, &before) != nil {
		return start()
	}
	one.Set(core)
	if unix.SchedSetaffinity(0, &one) != nil {
		return start() // a container may forbid it; the replica is the same, and slower
	}
	defer unix.SchedSetaffinity(0, &before) //nolint:errcheck // it was allowed a moment ago
	return start()
}

// endWithThread has the system kill a process when the thread that started it ends, which it does at the latest with this process.
func endWithThread() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
