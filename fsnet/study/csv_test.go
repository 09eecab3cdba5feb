package study

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"
)

// Names come from the data. None is a formula for the spreadsheet that opens the rows, and all are read back as they were.
func TestNamesAreNoFormulas(t *testing.T) {
	names := []string{
		`=HYPERLINK("http://x","y")`, "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x", "'=1", "'", "a=b", "MYB", "=a;=b", `\'`, "",
	}
	var rows []Row
	for _, name := range names {
		rows = append(rows, Row{
			Identity: Identity{Dataset: name, Method: name, K: 2, Split: 1, Seed: -3, Settings: name, Version: 1, Judge: name, Device: name, Data: name},
			Selected: []string{name, "b"}, Error: name,
		})
	}
	negative := -0.25
	rows[0].MutualInformation = &negative
	var text bytes.Buffer
	if err := WriteCSV(&text, rows); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, fields := range lines[1:] {
		for j, field := range fields {
			column := lines[0][j]
			number := column == "seed" || column == "mutual_information"
			if !number && strings.IndexAny(field, "=+-@\t\r\n＝＋－＠") == 0 {
				t.Errorf("row %d: %s is %q, a formula", i, column, field)
			}
		}
	}
	if seed, information := lines[1][4], lines[1][8]; seed != "-3" || information != "-0.25" {
		t.Errorf("numbers are %q and %q", seed, information)
	}
	for i, name := range names {
		if got := splitNames(strings.TrimPrefix(lines[i+1][11], "'")); !slices.Equal(got, []string{name, "b"}) {
			t.Errorf("%q is %q", name, got)
		}
	}
}
