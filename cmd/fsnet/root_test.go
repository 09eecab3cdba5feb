package main

import "testing"

// Every command, a kernel and its sessions among them, begins with the tree of commands: 7,817 allocations, and 83,223 while each option
// listed all keys.
func TestTheTreeOfCommandsIsMadeAtOnce(t *testing.T) {
	if n := testing.AllocsPerRun(3, func() { newRootCommand() }); n > 20_000 {
		t.Errorf("%v allocations, more than 20,000", n)
	}
}
