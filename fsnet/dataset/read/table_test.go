package read

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

func tableOf(t *testing.T, text string) (*lineTable, error) {
	t.Helper()
	file, err := openText(inputOf("a.csv", []byte(text)))
	if err != nil {
		return nil, err
	}
	return newLineTable(t.Context(), file)
}

// The estimate of a table's size has room for all lines and little more, and no
// line is lost by it.
func TestTable_EstimatesRoom(t *testing.T) {
	for _, lines := range []int{1, 2, 50} {
		var text strings.Builder
		text.WriteString("sample,g1,g2,g3,label\n")
		for i := range lines {
			fmt.Fprintf(&text, "s%02d,1.25,2.50,-0.75,%c\n", i, 'a'+rune(i%2))
		}
		table, err := tableOf(t, text.String())
		if err == nil {
			err = table.readHeader()
		}
		if err != nil {
			t.Fatal(err)
		}
		if cells := table.lines.Estimate(3); cells < 3*lines || cells > 3*(lines+lines/16+2) {
			t.Errorf("%d lines of 3 numbers: room for %d", lines, cells)
		}
		rest := 0
		for {
			if _, err := table.next(); err != nil {
				break
			}
			rest++
		}
		if rest != lines {
			t.Errorf("after the estimate %d of %d lines are read", rest, lines)
		}
	}
}

// If the first line of data is much shorter than the others, the room is still
// bounded by the file.
func TestTable_RoomIsBounded(t *testing.T) {
	text := "a,b,c,label\n" + strings.Repeat("1,2,3,u\n1.0000000000000,2.000000000000000,3.00000000000000,v\n", 100)
	table, err := tableOf(t, text)
	if err == nil {
		err = table.readHeader()
	}
	if err != nil {
		t.Fatal(err)
	}
	if cells := table.lines.Estimate(3); cells < 600 || cells > len(text)/2+1 {
		t.Errorf("room for %d numbers in %d bytes", cells, len(text))
	}
}

// must returns the value, or ends the test with the error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A column is lost if rounding to 32 bits hides the differences between its
// rows. It isn't if it is constant, varies, or has 32 bits anyway.
func TestLost_Columns(t *testing.T) {
	of := [][]float64{
		{16777216, 16777217}, {1e9, 1e9}, {1700000000, 1800000000}, {1e6 + 0.01, 1e6 + 0.02}, {math.NaN(), math.NaN()},
		{float64(float32(0.1)), float64(math.Nextafter32(0.1, 1))}, {0.1, 0.2}, {-16777217, -16777216}, {math.Inf(1), 1},
	}
	columns := make(Rounding, len(of))
	for j, values := range of {
		for _, x := range values {
			if got := columns.Round(j, x); math.Float32bits(got) != math.Float32bits(float32(x)) {
				t.Errorf("%v is %v", x, got)
			}
		}
	}
	lost := maps.Collect(columns.Lost())
	if got := slices.Sorted(maps.Keys(lost)); !slices.Equal(got, []int{0, 3, 7}) || lost[0] != 16777216 || lost[7] != -16777217 {
		t.Errorf("lost: %v", lost)
	}
}

// A table above the available memory is rejected with its size, the memory and
// a remedy.
func TestDenseFits_TooLarge(t *testing.T) {
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

// A sparse table above the available memory is rejected with a remedy.
func TestSparseFits_TooLarge(t *testing.T) {
	free := &system.FreeMemory{Bytes: 1e9, Source: "left by the memory limit of this container"}
	if err := errors.Join(storedFits("a.h5ad", 1e8, 1e6, "do this", free), storedFits("a.h5ad", 1e12, 1e6, "do this", nil)); err != nil {
		t.Error(err)
	}
	err := storedFits("a.h5ad", 2e8, 1e6, "do this", free)
	if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "a.h5ad: its 200000000 numbers take") || !strings.Contains(err.Error(), "do this") {
		t.Errorf("%v", err)
	}
}

// A damaged file may claim any size: no product of sizes overflows to a small
// number.
func TestTable_ClaimedSizes(t *testing.T) {
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
