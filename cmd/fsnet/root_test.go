package main

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"
)

// Every command, a kernel and its sessions among them, begins with the tree of commands: 7,817 allocations, and 83,223 while each option
// listed all keys.
func TestTheTreeOfCommandsIsMadeAtOnce(t *testing.T) {
	if n := testing.AllocsPerRun(3, func() { newRootCommand() }); n > 20_000 {
		t.Errorf("%v allocations, more than 20,000", n)
	}
}

// Help is put together from pieces: no sentence sticks to the one before.
func TestSentencesOfHelpStandApart(t *testing.T) {
	stuck := regexp.MustCompile(`[a-z]\.(fsnet|[A-Z][a-z]*) .*`)
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if found := stuck.FindString(c.Long); found != "" {
			t.Errorf("%s: %q", c.CommandPath(), found)
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newRootCommand())
}
