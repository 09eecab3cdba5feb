package main

import (
	"regexp"
	"strings"
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

// An option that other programs call otherwise is answered with this one's name, where the command has it.
func TestOptionsOfOtherPrograms(t *testing.T) {
	for line, want := range map[string]string{
		"fit a.csv --features 3": "did you mean --k?", "fit a.csv --target y": "did you mean --label?",
		"fit a.csv --model m":        "did you mean --save?",
		"fit a.csv --random_state 1": "did you mean --seed?", "compare a.csv --cv 5": "did you mean --folds?",
		"compare a.csv --out b.csv": "did you mean --output?", "stability a.csv --halves 4": "did you mean --pairs?",
		"predict a b --target y": "did you mean --label?", "predict a b --features x": "fsnet predict --help lists them",
	} {
		if _, messages, status := command(t, strings.Fields(line)...); status != 2 || !strings.Contains(messages, "unknown option") ||
			!strings.Contains(messages, want) {
			t.Errorf("%s: %s", line, messages)
		}
	}
}
