package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The kills, drawn from a seed: FSNET_TEST_KILLS=24 has more of them than a test run has time for, FSNET_TEST_SEED=… others.
const (
	killsAlways = 6
	killSeed    = 1
)

// TestBenchKernelKills kills one process of a notebook with SIGKILL, at a moment drawn from the seed, again and again: afterwards nothing
// of it runs, no directory is left by the next start, the session stands at its last checkpoint, with the bits of a training that nobody
// killed, and the notebook has a line that says what happened.
func TestBenchKernelKills(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: it takes half a minute; run it without -short")
	}
	skipWithoutProc(t)
	kills := fromEnvironment(t, "FSNET_TEST_KILLS", killsAlways)
	notebook := newKilledNotebook(t, int64(fromEnvironment(t, "FSNET_TEST_SEED", killSeed)))
	for range kills {
		crash, err := notebook.next(t.Context())
		t.Logf("%s; the notebook says: %s", crash, strings.Join(strings.Fields(crash.Said), " "))
		if err != nil {
			t.Fatal(err)
		}
	}
	r := notebook.end(t.Context())
	t.Log(&r)
	if r.Kills != kills || r.Survived != kills || r.Left != 0 || r.Lost != 0 {
		t.Errorf("of %d kills %d were survived; %d processes, sockets and directories are left, %d steps lost", kills, r.Survived, r.Left, r.Lost)
	}
	for _, line := range r.Wrong {
		t.Error(line)
	}
	for _, line := range r.NotTested {
		t.Log("NOT TESTED: ", line)
	}
}

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s is not a number", name, text)
	}
	return n
}
