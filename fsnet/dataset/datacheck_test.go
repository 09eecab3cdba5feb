package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// What may be a mistake in a table is said, a line each, and nothing else is.
func TestDoubts(t *testing.T) {
	const rows = 12
	count := func(i int) float32 { return float32(i + 1) }
	mixed := func(i int) float32 { return float32(100 + i*5%rows) }
	for name, c := range map[string]struct {
		column  string
		value   func(i int) float32
		classes []string
		want    string // in the only line; "" is none
	}{
		"two words":           {"g", mixed, []string{"ALL", "AML"}, ""},
		"capitals":            {"g", mixed, []string{"ALL", "all", "AML"}, `the classes "ALL", "all" differ in capitals, blanks, or in how letters are coded alone`},
		"blanks":              {"g", mixed, []string{"ALL", "AML", "ALL "}, `the classes "ALL", "ALL " differ`},
		"a blank of no width": {"g", mixed, []string{"ALL", "AML", "AML\u200b"}, `the classes "AML", "AML\u200b" differ`},
		"a mark of order":     {"g", mixed, []string{"\ufeffALL", "AML", "ALL"}, `the classes "\ufeffALL", "ALL" differ`},
		"accents apart":       {"g", mixed, []string{"Me\u0301nie\u0300re", "M\u00e9ni\u00e8re", "none"}, `the classes "Me\u0301nie\u0300re", "M\u00e9ni\u00e8re" differ`},
		"a hard blank":        {"g", mixed, []string{"type\u00a01", "type 1", "none"}, `the classes "type\u00a01", "type 1" differ`},
		"other accents":       {"g", mixed, []string{"Me\u0301nie\u0300re", "Meniere", "none"}, ""},
		"counts up":           {"g", count, []string{"ALL", "AML"}, `"g" may number the rows`},
		"a number by name":    {"patient_no", mixed, []string{"ALL", "AML"}, `"patient_no" may number the rows, but may be chosen as a feature: if so, take it out, or use --samples patient_no`},
		"an index of pandas":  {"Unnamed: 0 no", count, []string{"ALL", "AML"}, `or use --samples "Unnamed: 0 no"`},
		"PatientID":           {"PatientID", mixed, []string{"ALL", "AML"}, `"PatientID" may`},
		"sampleid":            {"sampleid", mixed, []string{"ALL", "AML"}, `"sampleid" may`},
		"a gene like a name":  {"ID1", mixed, []string{"ALL", "AML"}, ""},
		"a date":              {"1-Mar", mixed, []string{"ALL", "AML"}, `made dates of names of genes: "1-Mar"`},
		"another date":        {"SEP-02", mixed, []string{"ALL", "AML"}, `"SEP-02"`},
		"no date":             {"g-1", mixed, []string{"ALL", "AML"}, ""},
		"large, and constant": {"epoch", func(int) float32 { return 1700000000 }, []string{"ALL", "AML"}, ""},
		"no number":           {"id", func(i int) float32 { return float32(i) / 2 }, []string{"ALL", "AML"}, ""},
		"twice":               {"id", func(i int) float32 { return float32(i / 2) }, []string{"ALL", "AML"}, ""},
		"nearly":              {"g", func(i int) float32 { return float32(i + i/11) }, []string{"ALL", "AML"}, ""},
	} {
		d := &Dataset{N: rows, D: 2, Classes: c.classes, Features: []string{c.column, "gene"}}
		for i := range rows {
			d.X = append(d.X, c.value(i), float32(i*i%7))
		}
		list := d.Doubts()
		if (len(list) == 0) != (c.want == "") || len(list) > 1 || !strings.Contains(fmt.Sprint(list), c.want) {
			t.Errorf("%s: %q", name, list)
		}
	}
}
