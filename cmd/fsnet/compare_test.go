package main

import (
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/study"
)

// comparing asks for four methods on two splits of the table of inCohort.
func comparing(more ...string) []string { return append(strings.Fields(fourOnHalf+" --k=2"), more...) }

// A method that fails is a row with its error; the others are there, and the status is 1.
func TestCompareReportsFailures(t *testing.T) {
	inCohort(t)
	out, messages, status := command(t, comparing("--methods=anova,fsnet:learning_rate=1e12")...)
	if status != 1 || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "2 of 4 fits failed") || !strings.Contains(out, "(2 failed)") {
		t.Errorf("status %d, %s%s", status, messages, out)
	}
}

// What a line %fsnet compare is completed with is what compare takes.
func TestCompletedMethodsAreKnown(t *testing.T) {
	list := completedMethods()
	if want := 2 + len(comparators.All()); len(list) != want { // FsNet, and its path
		t.Errorf("%d methods of %d", len(list), want)
	}
	help, _, _ := command(t, "compare", "--help")
	help = strings.Join(strings.Fields(help), " ") // the lines of a flag end where the page does
	for _, name := range list {
		if !strings.Contains(help, " "+name+", ") {
			t.Errorf("fsnet compare --help does not name %s", name)
		}
		if _, err := study.Methods(name); err != nil {
			t.Error(err)
		}
	}
}

// A line of a notebook has the flags of its command: path's k is a list, and no key.
func TestProgramsHaveTheFlagsOfTheirCommands(t *testing.T) {
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
