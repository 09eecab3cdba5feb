//go:build !linux

package process

import "syscall"

// withDeathSignal does nothing: only Linux can. The children watch their parent themselves where it matters.
func withDeathSignal(*syscall.SysProcAttr) {}
