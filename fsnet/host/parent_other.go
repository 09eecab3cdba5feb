//go:build !linux

package host

// askForDeathSignal: other systems have no such signal, the parent is looked for.
func askForDeathSignal() {}
