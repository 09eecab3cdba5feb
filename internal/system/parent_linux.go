package system

import "golang.org/x/sys/unix"

// askForDeathSignal asks the system to signal this process when its parent
// ends. If that fails, the regular check will notice it.
func askForDeathSignal() {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(deathSignal), 0, 0, 0)
}
