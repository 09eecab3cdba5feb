package read

import (
	"errors"
	"math"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

func TestTableThatMemoryCannotHold(t *testing.T) {
	free := &system.FreeMemory{Bytes: 1e9, Source: "left by the memory limit of this container"}
	if err := denseFits("a.csv", 125e6, 1000, free); err != nil {
		t.Error(err)
	}
	err := denseFits("a.csv", 1e9, 1000, free)
	if !errs.Is(err, errs.Request) {
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
	free := &system.FreeMemory{Bytes: 1e9, Source: "left by the memory limit of this container"}
	if err := errors.Join(storedFits("a.h5ad", 1e8, 1e6, "do this", free), storedFits("a.h5ad", 1e12, 1e6, "do this", nil)); err != nil {
		t.Error(err)
	}
	err := storedFits("a.h5ad", 2e8, 1e6, "do this", free)
	if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "a.h5ad: its 200000000 numbers take") || !strings.Contains(err.Error(), "do this") {
		t.Errorf("%v", err)
	}
}

// A damaged file may claim any number: none is so large that its bytes come to few again.
func TestClaimsWithoutEnd(t *testing.T) {
	free := &system.FreeMemory{Bytes: 64e9, Source: "free"}
	for _, cells := range []int{1 << 58, 1 << 60, 1 << 61, 1 << 62, math.MaxInt} {
		err := denseFits("a.npz", cells, 1<<40, free)
		if !errs.Is(err, errs.Request) || strings.Count(err.Error(), "-") != 1 { // that before the remedy
			t.Errorf("%d numbers: %v", cells, err)
		}
		if err := storedFits("a.h5ad", int64(cells), 1, "do this", free); !errs.Is(err, errs.Request) {
			t.Errorf("%d stored numbers: %v", cells, err)
		}
	}
	for _, c := range []struct{ a, b, want int }{{3, 4, 12}, {0, 1 << 62, 0}, {1 << 32, 1 << 32, math.MaxInt}, {1 << 31, 1 << 31, 1 << 62}} {
		if got := cellCount(c.a, c.b); got != c.want {
			t.Errorf("%d × %d are %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
