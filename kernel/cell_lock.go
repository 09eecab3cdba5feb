package kernel

import (
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/jupyter"
)

// waitsForTurn is said of a Go cell that finds one of another shell running.
const waitsForTurn = "this cell waits: a Go cell of another shell is running, and GoNB runs one at a time (%fsnet lines do not wait)\n"

// begin makes a cell one that runs.
func (k *Kernel) begin(e *execution) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.number++
	e.number = k.number
	k.running = append(k.running, e)
}

// ended makes a cell one that has run, lets the next Go cell have its turn, and reports whether it was interrupted.
func (k *Kernel) ended(e *execution) (interrupted bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = slices.DeleteFunc(k.running, func(other *execution) bool { return other == e })
	if e.hasLock {
		k.questions.withdraw("") // what it wanted to know is not told to the next one
		k.leave(e)
	}
	return !e.interrupted.IsZero()
}

// busy reports whether a cell runs.
func (k *Kernel) busy() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.running) > 0
}

// runs reports whether a cell has not ended.
func (k *Kernel) runs(e *execution) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.running, e)
}

// sayBusy says again that cells run, where something else has just said idle: front ends take the last status for the kernel's.
func (k *Kernel) sayBusy() {
	k.mu.Lock()
	running := slices.Clone(k.running)
	k.mu.Unlock()
	for _, e := range running {
		e.sayBusy()
	}
}

// lockCells waits until no other cell's Go code runs. GoNB compiles and runs one program at a time, and what a cell declares is there for
// the next one: two side by side would have no order.
func (k *Kernel) lockCells(e *execution) error {
	if !k.cellLock.TryAcquire() {
		e.publish("stream", jupyter.Stream{Name: "stderr", Text: waitsForTurn})
		if k.cellLock.Acquire(e.context) != nil {
			return fault.New(fault.Interrupted, "run it again", "interrupted: the cell was still waiting for the Go cell of another shell")
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e.hasLock = true
	return nil
}

// leave lets the next Go cell run. The caller holds the lock.
func (k *Kernel) leave(e *execution) {
	e.hasLock = false
	k.cellLock.Release()
}
