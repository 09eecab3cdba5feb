package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Without --k, a path has the usual numbers of features as far as the table has
// them, and at least one.
func TestPath_SmallTable(t *testing.T) {
	narrow := "sample,g1,g2,diagnosis\n"
	for line := range strings.Lines(smallTable()) {
		if f := strings.Split(strings.TrimSpace(line), ","); f[0] != "sample" {
			narrow += strings.Join([]string{f[0], f[1], f[2], f[6]}, ",") + "\n"
		}
	}
	for table, want := range map[string][]string{smallTable(): {"5"}, narrow: {"2"}} {
		out, messages, status := command(t, "path", write(t, "cohort.csv", table), "--label=diagnosis", "--samples=sample", "--epochs=2", "--folds=2",
			"--backend=go", "--json", "-q")
		var got struct{ Grid []struct{ Values []string } }
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || len(got.Grid) != 1 || !slices.Equal(got.Grid[0].Values, want) {
			t.Errorf("want k = %v: status %d, %s%s (%v)", want, status, out, messages, err)
		}
	}
}
