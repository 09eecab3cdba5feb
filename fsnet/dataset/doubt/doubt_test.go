package doubt

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
		"capitals":            {"g", mixed, []string{"ALL", "all", "AML"}, `the classes "ALL", "all" differ in capitals or blanks alone`},
		"blanks":              {"g", mixed, []string{"ALL", "AML", "ALL "}, `the classes "ALL", "ALL " differ`},
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
		list := Of(c.classes, []string{c.column, "gene"}, rows, func(row, column int) float32 {
			if column == 0 {
				return c.value(row)
			}
			return float32(row * row % 7)
		})
		if (len(list) == 0) != (c.want == "") || len(list) > 1 || !strings.Contains(fmt.Sprint(list), c.want) {
			t.Errorf("%s: %q", name, list)
		}
	}
}
