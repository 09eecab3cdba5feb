package kernel

import (
	"time"

	"fsnetlab/kernel/jupyter"
)

// forceAfter tells a second interrupt from the first one, sent twice.
const forceAfter = 500 * time.Millisecond

// stillCleaning is said of a cell that takes its time.
const stillCleaning = "interrupted: the cell is cleaning up; interrupt again to end it at once\n"

// Interrupt pauses the step or run that a cell waits for, or ends the Go cell. Without a running cell it does nothing. A second one does
// not wait for the cell to clean up.
//
// It reaches the cells of all shells: who asks for it wants that what runs ends, and front ends do not say which.
func (k *Kernel) Interrupt() { k.interrupt(nil) }

// interrupt is Interrupt for the cell of one shell, or with nil for all.
func (k *Kernel) interrupt(shell *jupyter.Shell) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.running {
		if shell != nil && e.shell != shell {
			continue
		}
		if e.interrupted.IsZero() {
			e.interrupted = time.Now()
		} else if time.Since(e.interrupted) > forceAfter {
			e.force()
		}
		e.interrupt()
	}
}
