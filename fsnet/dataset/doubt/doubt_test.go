package doubt

import (
	"fmt"
	"strings"
	"testing"

	"fsnetlab/fsnet/dataset"
)

// What may be a mistake in a table is said, a line each, and nothing else is.
func TestDoubts(t *testing.T) {
	const rows = 12
	data := func(column string, value func(i int) float32, labels ...string) *dataset.Dataset {
		t.Helper()
		x, y := make([]float32, 0, 2*rows), make([]string, rows)
		for i := range rows {
			x, y[i] = append(x, value(i), float32(i*i%7)), labels[i%len(labels)]
		}
		d, err := dataset.New("toy", x, []string{column, "gene"}, y)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	count := func(i int) float32 { return float32(i + 1) }
	mixed := func(i int) float32 { return float32(100 + i*5%rows) }
	for name, c := range map[string]struct {
		d    *dataset.Dataset
		want string // in the only line; "" is none
	}{
		"two words":          {data("g", mixed, "ALL", "AML"), ""},
		"capitals":           {data("g", mixed, "ALL", "all", "AML"), `the classes "ALL", "all" differ in capitals or blanks alone`},
		"blanks":             {data("g", mixed, "ALL", "AML", "ALL "), `the classes "ALL", "ALL " differ`},
		"counts up":          {data("g", count, "ALL", "AML"), `"g" may number the rows`},
		"a number by name":   {data("patient_no", mixed, "ALL", "AML"), `"patient_no" may number the rows, but may be chosen as a feature: if so, take it out, or use samples=patient_no`},
		"PatientID":          {data("PatientID", mixed, "ALL", "AML"), `"PatientID" may`},
		"sampleid":           {data("sampleid", mixed, "ALL", "AML"), `"sampleid" may`},
		"a gene like a name": {data("ID1", mixed, "ALL", "AML"), ""},
		"a date":             {data("1-Mar", mixed, "ALL", "AML"), `made dates of names of genes: "1-Mar"`},
		"another date":       {data("SEP-02", mixed, "ALL", "AML"), `"SEP-02"`},
		"no date":            {data("g-1", mixed, "ALL", "AML"), ""},
		"no number":          {data("id", func(i int) float32 { return float32(i) / 2 }, "ALL", "AML"), ""},
		"twice":              {data("id", func(i int) float32 { return float32(i / 2) }, "ALL", "AML"), ""},
		"nearly":             {data("g", func(i int) float32 { return float32(i + i/11) }, "ALL", "AML"), ""},
	} {
		list := Of(c.d)
		if (len(list) == 0) != (c.want == "") || len(list) > 1 || !strings.Contains(fmt.Sprint(list), c.want) {
			t.Errorf("%s: %q", name, list)
		}
	}
}
