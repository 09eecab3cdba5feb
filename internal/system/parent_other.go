//go:build !linux

package system

// askForDeathSignal does nothing, because other systems lack that signal. The
// regular check notices the end of the parent.
func askForDeathSignal() {}
