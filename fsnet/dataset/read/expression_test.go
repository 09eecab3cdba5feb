package read

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fsnetlab/tests/kit/fixtures"
)

// readMatrix reads a text of either format whole.
func readMatrix(t testing.TB, content []byte, room func(int) error) (*expressionMatrix, []string, [][]float32, error) {
	t.Helper()
	text, err := openText(inputOf("a.txt", content))
	if err != nil {
		return nil, nil, nil, err
	}
	open := openSeries
	if beginsGCT(text.head) {
		open = openGCT
	}
	m, err := open(t.Context(), text)
	if err != nil {
		return nil, nil, nil, err
	}
	names, x, _, err := m.values(room)
	return m, names, x, err
}

const series = "!Series_title\t\"A 5\" study\"\n!Sample_title\t\"a\"\t\"b \"\"x\"\"\"\n!Sample_characteristics_ch1\t\"tissue: colon\"\t\"tissue: ileum\"\n" +
	"!Sample_characteristics_ch1\t\"no colon\"\t\"time: 12:30\"\n!series_matrix_table_begin\n\"ID_REF\"\t\"GSM1\"\t\"GSM2\"\n\"p 1\"\t1\t2\n2\t3\t4\n!series_matrix_table_end\n"

// twice repeats a key for a sample, and has a key in both channels.
const twice = "!Series_title\t\"x\"\n!Sample_characteristics_ch1\t\"drug: none\"\t\"drug: none\"\n!Sample_characteristics_ch1\t\"drug: A\"\t\"drug: B\"\n" +
	"!Sample_characteristics_ch1\t\"tissue: pool\"\t\"tissue: pool\"\n!Sample_characteristics_ch2\t\"tissue: gut\"\t\"age: 4\"\n!Sample_characteristics_ch2\t\"age: 3\"\t\"tissue: skin\"\n" +
	"!series_matrix_table_begin\n\"ID_REF\"\t\"GSM1\"\t\"GSM2\"\n\"p\"\t1\t2\n\"q\"\t3\t4\n!series_matrix_table_end\n"

const gctTwice = "#1.3\n2\t2\t0\t2\nid\ts1\ts2\nkind\tu\tv\nkind\tv\tu\ng1\t1\t2\ng2\t3\t4\n"

const gct = "#1.3\n2\t2\t1\t2\nid\tchr\ts1\ts2\nkind\tna\tu\tv\nage\t\t-666\t5\ng1\tX\t1\t2\ng2\tY\t3\t4\n"

// Expression matrices in GCT and series files are read with their samples,
// names and descriptions.
func TestExpression_Forms(t *testing.T) {
	for name, test := range map[string]struct {
		text            string
		samples, names  []string
		characteristics []characteristic
	}{
		"series": {series, []string{"GSM1", "GSM2"}, []string{"p 1", "2"},
			[]characteristic{{"title", []string{"a", `b "x"`}}, {"tissue", []string{"colon", "ileum"}}, {"time", []string{"", "12:30"}}}},
		"twice": {twice, []string{"GSM1", "GSM2"}, []string{"p", "q"}, []characteristic{{"drug", []string{"none", "none"}}, {"drug.1", []string{"A", "B"}},
			{"tissue_ch1", []string{"pool", "pool"}}, {"tissue_ch2", []string{"gut", "skin"}}, {"age", []string{"3", "4"}}}},
		"gct twice": {gctTwice, []string{"s1", "s2"}, []string{"g1", "g2"}, []characteristic{{"kind", []string{"u", "v"}}, {"kind.1", []string{"v", "u"}}}},
		"gct":       {gct, []string{"s1", "s2"}, []string{"g1", "g2"}, []characteristic{{"kind", []string{"u", "v"}}, {"age", []string{"", "5"}}}},
	} {
		m, names, x, err := readMatrix(t, []byte(test.text), anyRoom)
		if err != nil {
			t.Fatal(name, err)
		}
		same := slices.EqualFunc(m.About, test.characteristics, func(a, b characteristic) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) })
		if said := strings.Contains(m.Note, " is called "); said != strings.Contains(name, "twice") {
			t.Errorf("%s: note %q", name, m.Note)
		}
		if !slices.Equal(m.Samples, test.samples) || !slices.Equal(names, test.names) || !same || !slices.Equal(slices.Concat(x...), []float32{1, 2, 3, 4}) {
			t.Errorf("%s: samples %q, names %q, about %q, x %v", name, m.Samples, names, m.About, x)
		}
	}
}

// A damaged expression matrix is rejected with the line and the reason.
func TestExpression_Rejects(t *testing.T) {
	replace := func(text, old, with string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in it", old)
		}
		return strings.Replace(text, old, with, 1)
	}
	for name, test := range map[string]struct{ text, says string }{
		"no table":          {series[:strings.Index(series, "!series_matrix")], "has no table of numbers"},
		"a header no more":  {series[:strings.Index(series, "\"ID_REF")], "has no numbers"},
		"another header":    {replace(series, "ID_REF", "gene"), "has no numbers"},
		"no end":            {replace(series, seriesEnd, ""), "is incomplete"},
		"nothing":           {replace(series, "\"p 1\"\t1\t2\n2\t3\t4\n", ""), "has no numbers"},
		"ragged":            {replace(series, "\t1\t2\n", "\t1\n"), "line 7 has 1 value for 2 samples"},
		"a word":            {replace(series, "\t1\t2\n", "\t1\thigh\n"), `line 7 ("p 1"), sample "GSM2": "high" is not a number`},
		"of other samples":  {replace(series, "\t\"tissue: ileum\"", ""), `"tissue" is given for 1 sample, the table has 2`},
		"no counts":         {"#1.2\nx\ty\nName\tDescription\ts\n", "must hold counts, not x"},
		"cut off":           {"#1.2\n1\t1\n", "ends before its header"},
		"two counts in 1.3": {"#1.3\n1\t1\nid\ts\ng\t1\n", "four counts"},
		"too few samples":   {replace(gct, "\ts2\n", "\n"), "does not hold as many samples"},
		"many columns":      {replace(gct, "2\t2\t1\t2", "2\t2\t9999999999\t2"), "does not hold as many samples"},
		"many descriptions": {replace(gct, "2\t2\t1\t2", "2\t2\t1\t9999999999"), "ends among the rows"},
		"other rows":        {replace(gct, "2\t2\t1\t2", "3\t2\t1\t2"), "promises 3 features, but there are 2"},
		"a ragged row":      {replace(gct, "kind\tna\t", "kind\t"), "another number of fields"},
	} {
		_, _, _, err := readMatrix(t, []byte(test.text), anyRoom)
		isLine(t, name, err, test.says)
	}
	full := errors.New("no room")
	if _, _, _, err := readMatrix(t, []byte(gct), func(int) error { return full }); !errors.Is(err, full) {
		t.Errorf("without room: %v", err)
	}
	for name, content := range map[string]string{"two lines": "2 2 1\n# a b\n", "other samples": "3 2 1\n# a b\n0 1 1\n", "no #": "2 2 1\na b\n0 1\n", "short": "2 2 1\n# a b\n0\n"} {
		_, err := parseCLS("a.cls", content, 2)
		isLine(t, name, err, "a.cls")
	}
	if c, err := parseCLS("a.cls", "2 2 1\n#a b\n1 a\n", 2); err != nil || !slices.Equal(c.Values, []string{"b", "a"}) {
		t.Errorf("%v, %v", c, err)
	}
}

// Spreadsheets leave separators at the ends of lines, and lines of separators.
// Both are skipped.
func TestExpression_SpreadsheetSeparators(t *testing.T) {
	m, names, x, err := readMatrix(t, []byte("#1.2\t\n1\t2\t\t\nName\tDescription\ts\tt\t\ng\tna\t1\t2\t\n\t\t\t\t\n"), anyRoom)
	if err != nil || !slices.Equal(m.Samples, []string{"s", "t"}) || !slices.Equal(names, []string{"g"}) || !slices.Equal(x[0], []float32{1, 2}) {
		t.Errorf("%v, %v, %v", names, x, err)
	}
}

func FuzzMatrix(f *testing.F) {
	for _, content := range fixtures.All(f, "../testdata/tables/*.gct", "../testdata/tables/*series_matrix*") {
		f.Add(content)
	}
	f.Add([]byte(series))
	f.Add([]byte(twice))
	f.Add([]byte(gctTwice))
	f.Add([]byte(gct))
	f.Add([]byte("#1.2\t\n1\t2\t\nName\tDescription\ts\tt\t\ng\tna\t1\t2\t\n\t\t\t\t\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, names, x, err := readMatrix(t, content, anyRoom)
		if err != nil {
			isLine(t, "fuzz", err, "")
			return
		}
		for _, c := range m.About {
			if len(c.Values) != len(m.Samples) {
				t.Fatalf("%q has %d values for %d samples", c.Name, len(c.Values), len(m.Samples))
			}
		}
		if len(names) != len(x) || slices.ContainsFunc(x, func(v []float32) bool { return len(v) != len(m.Samples) }) {
			t.Fatalf("%d names, %d features", len(names), len(x))
		}
	})
}
