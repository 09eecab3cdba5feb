package room

import (
	"errors"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/memory"
)

func TestTableThatMemoryCannotHold(t *testing.T) {
	free := &memory.Free{Bytes: 1e9, Source: "left by the memory limit of this container"}
	if err := holds("a.csv", 5e8, 1000, free); err != nil {
		t.Error(err)
	}
	err := holds("a.csv", 4e9, 1000, free)
	if !fault.Is(err, fault.Request) {
		t.Fatalf("%v", err)
	}
	for _, words := range []string{"a.csv: its numbers take 4.0 GB", "1.0 GB are left by the memory limit", "say the 125 that vary most"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
}

// What is turned around in memory is refused where it cannot be there, in one line that says how to write it.
func TestCellsThatMemoryCannotHold(t *testing.T) {
	free := &memory.Free{Bytes: 1e9, Source: "left by the memory limit of this container"}
	if err := errors.Join(holdsStored("a.h5ad", 1e8, 1e6, "do this", free), holdsStored("a.h5ad", 1e12, 1e6, "do this", nil)); err != nil {
		t.Error(err)
	}
	err := holdsStored("a.h5ad", 2e8, 1e6, "do this", free)
	if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "a.h5ad: its 200000000 numbers take") || !strings.Contains(err.Error(), "do this") {
		t.Errorf("%v", err)
	}
}
