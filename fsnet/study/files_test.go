package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
)

// What a file says that names features is part of the identity of a row, not only what the file is called: rows from before an edit of it and
// from after it do not mix. A comment in it says nothing.
func TestRowsKnowWhatFilesSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "Genes.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with := "fsnet:must=" + file + ",anova"
	write("a\n")
	first := some(t, with, 2, 2)
	rows := made(t, first, nil)
	l, bare := listingOf(t, first)
	if cells := bare.Cells(); cells[0].Settings != first.Cells()[0].Settings || !strings.Contains(cells[0].Settings, "must_hash=") ||
		strings.Contains(cells[1].Settings, "must") {
		t.Errorf("%q and %q", cells[0].Settings, cells[1].Settings)
	}
	write("# a comment\na\n")
	if err := some(t, with, 2, 2).Check("go", rows); err != nil {
		t.Error(err)
	}

	write("b\n")
	now := some(t, with, 2, 2)
	err := now.Check("go", rows)
	for _, want := range []string{"2 of its 4 rows are made with another content of " + file + " (must): its hash was ", "bring the file back as it was"} {
		if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := l.Plan([]*dataset.Dataset{planted(t)}, ""); err == nil || !strings.Contains(err.Error(), "another content of "+file) {
		t.Errorf("its listing: %v", err)
	}
	if _, err := bare.Merge("go", []File{{"now", made(t, now, nil)}}); err == nil || !strings.Contains(err.Error(), "another content of "+file) {
		t.Errorf("merged: %v", err)
	}
	// Rows of before, when only the name was known.
	for i := range rows {
		rows[i].Settings, _, _ = strings.Cut(rows[i].Settings, ";must_hash")
	}
	if err := now.Check("go", rows); err == nil || !strings.Contains(err.Error(), "its hash was not recorded, and is now ") {
		t.Error(err)
	}
	// An edit while rows are made.
	made, err := now.Run(t.Context(), opened(t), nil, func(p Progress) error {
		if p.Done == 1 && p.Finished != nil {
			write("c\n")
		}
		return nil
	})
	if err != nil || len(made) != 4 || made[0].Error != "" || !strings.Contains(made[2].Error, "has changed") || made[3].Error != "" {
		t.Errorf("%v, %+v", err, made)
	}
}
