package main

import (
	"strings"
	"testing"
)

// comparing asks for four methods on two splits of the table of inCohort.
func comparing(more ...string) []string { return instead(strings.Fields(fourOnHalf+" --k=2"), more...) }

// A method that fails is a row with its error. The other rows are there, and
// the status is 1.
func TestCompare_ReportsFailures(t *testing.T) {
	inCohort(t)
	out, messages, status := command(t, comparing("--methods=anova,broken=/bin/false")...)
	if status != 1 || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "2 of 4 fits failed") || !strings.Contains(out, "(2 failed)") {
		t.Errorf("status %d, %s%s", status, messages, out)
	}
}

// In a notebook, a command has the same flags as in a shell: path's k is a list
// and not a key.
func TestPrograms_HaveTheirFlags(t *testing.T) {
	keys := map[string]bool{}
	for _, p := range programs() {
		for _, f := range p.Flags {
			keys[p.Name+" "+f.Name] = f.Key
		}
	}
	for name, key := range map[string]bool{
		"tune k": true, "tune judge": false, "tune grid": false, "path k": false, "path lambda": true, "compare methods": false,
		"stability tau_end": true, "stability progress": false, "fit save": false, "judge features": false, "predict csv": false,
	} {
		if is, there := keys[name]; !there || is != key {
			t.Errorf("%s: key %t, there %t", name, is, there)
		}
	}
}
