package host

import "golang.org/x/sys/unix"

// askForDeathSignal has the system signal this process when its parent ends. Without it the parent is still looked for.
func askForDeathSignal() {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(deathSignal), 0, 0, 0)
}
