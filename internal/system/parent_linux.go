package system

import "golang.org/x/sys/unix"

// askForDeathSignal has the system signal this process when its parent ends. Where it does not, looking finds out.
func askForDeathSignal() {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(deathSignal), 0, 0, 0)
}
