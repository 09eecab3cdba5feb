package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"fsnetlab/fsnet/errs"
)

// listFile writes a file of names.
func listFile(t testing.TB, text string) string { return write(t, "panel.txt", []byte(text)) }

// A list of features is text or a file, without comments and repetitions.
func TestReadFeatureList_Forms(t *testing.T) {
	want := []string{"TP53", "MYC", "HLA-A"}
	path := listFile(t, "\ufeff# a panel\r\nTP53\r\n\r\nMYC\tsomething, else\n\"HLA-A\",0.5\nTP53\n")
	for text, dir := range map[string]string{"TP53, MYC,HLA-A,MYC,": "", path: "", "panel.txt": filepath.Dir(path)} {
		if got, err := ReadFeatureList("must", text, dir, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{" , ": "must names no feature", listFile(t, "# nothing\n"): "names no feature",
		listFile(t, "\x00"): "is not text", listFile(t, "a\n\t3\n"): "line 2 has no name"} {
		_, err := ReadFeatureList("must", text, "", nil)
		isFault(t, err, says)
	}
}

// A name with commas is found quoted, and unquoted if its parts aren't
// features.
func TestReadFeatureList_NamesWithCommas(t *testing.T) {
	features := []string{"G1", "PC(16:0,18:1)", "1,2-dichloroethane", "Sex, f/m", "PE(1:0"}
	want := []string{"PC(16:0,18:1)", "G1", "Sex, f/m"}
	for _, text := range []string{`"PC(16:0,18:1)",G1,"Sex, f/m"`, "PC(16:0,18:1),G1,Sex, f/m", listFile(t, "PC(16:0,18:1)\n\"G1\",0.5\nSex, f/m\n"),
		listFile(t, "PC(16:0,18:1)\t1\nG1\t2\n\"Sex, f/m\"\n")} {
		if got, err := ReadFeatureList("must", text, "", features); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	pairs := []string{"PC(16:0,18:1)", "2", "G1", "3", "PE(1:0", "4"}
	for _, text := range []string{"PC(16:0,18:1):2,G1:3,PE(1:0:4", `"PC(16:0,18:1):2",G1:3,PE(1:0:4`, `"PC(16:0,18:1)":2,G1:3,"PE(1:0":4`,
		listFile(t, "PC(16:0,18:1),2\nG1,3\nPE(1:0,4\n"), listFile(t, "\"PC(16:0,18:1)\",2\n\"G1\",3\nPE(1:0,4\n"), listFile(t, "PC(16:0,18:1)\t2\nG1\t3\nPE(1:0\t4\n")} {
		found, err := readFeaturePairs("cost", text, "", features)
		var got []string
		for _, p := range found {
			got = append(got, p.Name, p.Value)
		}
		if err != nil || !slices.Equal(got, pairs) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	_, err := FindFeatures("must", "cohort", []string{"pc(16:0,18:1)"}, features)
	if err == nil || !strings.Contains(err.Error(), `did you mean "PC(16:0,18:1)"?`) {
		t.Error(err)
	}
}

// A file of features and values has one pair on each line, and an error names
// the line.
func TestReadFeaturePairs_Lines(t *testing.T) {
	got, err := readFeaturePairs("cost", listFile(t, "gene,cost\nTP53,2.5\n# no\nMYC\t1e3\n"), "", nil)
	if err != nil || len(got) != 2 || got[0].Name != "TP53" || got[0].Value != "2.5" || got[1].Value != "1e3" ||
		!strings.HasSuffix(got[1].Where, "panel.txt: line 4") {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{"TP53\n": "line 1 has 1 field ", "a,1,2\n": "has 3 fields", "a,1\nb,2\na,3\n": `line 3: "a" is already there, in line 1`, "gene,cost\n": "names no feature", "a,\n": "has 2 fields"} {
		_, err := readFeaturePairs("cost", listFile(t, text), "", nil)
		isFault(t, err, says)
	}
	if _, err := readFeaturePairs("cost", "nowhere.txt", "", nil); !errs.Is(err, errs.NotFound) {
		t.Error(err)
	}
}

// Features are found by name in the order asked for. The error for unknown ones
// suggests close names.
func TestFindFeatures_Suggests(t *testing.T) {
	features := []string{"TP53", "MYC", "EGFR", "a", "b", "c", "d", "e", "f"}
	if at, err := FindFeatures("must", "cohort", []string{"EGFR", "TP53"}, features); err != nil || !slices.Equal(at, []int{2, 0}) {
		t.Error(at, err)
	}
	for says, names := range map[string][]string{
		`must: cohort has no feature "tp53", "Myc" - did you mean TP53, MYC?`:     {"tp53", "EGFR", "Myc"},
		`must: cohort has no feature "TP63", "MYCN" - name features as`:           {"TP63", "MYCN"},
		`"wwwww", "xxxxx", "yyyyy", "zzzzz", "qqqqq" - name features as the data`: {"uuuuu", "vvvvv", "wwwww", "xxxxx", "yyyyy", "zzzzz", "qqqqq"},
		"nor is there a file of this name":                                        {"panel.txt"},
	} {
		_, err := FindFeatures("must", "cohort", names, features)
		isFault(t, err, says)
	}
}

// No file makes it panic, and every name that it gives is one.
func FuzzFeatureList(f *testing.F) {
	f.Add("TP53\t1\n# x\nMYC,2\n")
	f.Add("\ufeff\"a\",\n,")
	f.Add("PC(16:0,18:1),2\n\"Sex, f/m\",3\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := listFile(t, text)
		names, err := ReadFeatureList("must", path, "", nil)
		if err == nil && (len(names) == 0 || slices.Contains(names, "")) {
			t.Errorf("%q: %q", text, names)
		}
		if pairs, err := readFeaturePairs("cost", path, "", nil); err == nil {
			for _, p := range pairs {
				if p.Name == "" || p.Value == "" {
					t.Errorf("%q: %+v", text, pairs)
				}
			}
		}
	})
}

// Each possible mistake in a table is told in a line, and nothing else is.
func TestDoubts_OfTables(t *testing.T) {
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
		"a number by name":    {"patient_no", mixed, []string{"ALL", "AML"}, `"patient_no" may number the rows, but may be chosen as a feature: if so, leave it out with ignore=patient_no, or use samples=patient_no`},
		"an index of pandas":  {"Unnamed: 0 no", count, []string{"ALL", "AML"}, `or use samples="Unnamed: 0 no"`},
		"PatientID":           {"PatientID", mixed, []string{"ALL", "AML"}, `"PatientID" may`},
		"sampleid":            {"sampleid", mixed, []string{"ALL", "AML"}, `"sampleid" may`},
		"a gene like a name":  {"ID1", mixed, []string{"ALL", "AML"}, ""},
		"a date":              {"1-Mar", mixed, []string{"ALL", "AML"}, `made dates or numbers of names of genes: "1-Mar"`},
		"another date":        {"SEP-02", mixed, []string{"ALL", "AML"}, `"SEP-02"`},
		"a German date":       {"1. Mrz", mixed, []string{"ALL", "AML"}, `"1. Mrz"`},
		"a French date":       {"1-sept.", mixed, []string{"ALL", "AML"}, `"1-sept."`},
		"a Japanese date":     {"9月2日", mixed, []string{"ALL", "AML"}, `"9月2日"`},
		"a real date":         {"2023-03-01", mixed, []string{"ALL", "AML"}, `"2023-03-01"`},
		"a date of a serial":  {"44986", mixed, []string{"ALL", "AML"}, `"44986"`},
		"a RIKEN gene":        {"2.31E+19", mixed, []string{"ALL", "AML"}, `"2.31E+19"`},
		"a counter":           {"__no_feature", mixed, []string{"ALL", "AML"}, `"__no_feature": counters of reads that belong to no gene, and may be chosen as features: leave them out with ignore=__no_feature`},
		"a counter of STAR":   {"N_unmapped", mixed, []string{"ALL", "AML"}, `ignore=N_unmapped`},
		"IDS is a gene":       {"IDS", mixed, []string{"ALL", "AML"}, ""},
		"another µ":           {"g", mixed, []string{"5 \u00b5M", "5 \u03bcM", "none"}, `the classes "5 \u00b5M", "5 \u03bcM" differ`},
		"another dash":        {"g", mixed, []string{"T-cell", "T\u2013cell", "none"}, `the classes "T-cell", "T\u2013cell" differ`},
		"full width":          {"g", mixed, []string{"\uff21\uff2c\uff2c", "ALL", "none"}, `differ`},
		"Cyrillic":            {"g", mixed, []string{"\u0421ase", "Case", "none"}, `the classes "\u0421ase", "Case" differ`},
		"Greek words":         {"g", mixed, []string{"\u03b1", "\u03b2", "none"}, ""},
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

// A feature with one value in each class, one that is the quantity in other
// units, and repeated rows are told. Chance and groups aren't.
func TestDoubts_OfValues(t *testing.T) {
	const rows = 24
	of := func(d *Dataset) string { return strings.Join(d.Doubts(), "\n") }
	table := func(column func(i int) float32) *Dataset {
		var x []float32
		var labels []string
		for i := range rows {
			x = append(x, column(i), float32(i*7%11)+float32(i)/100, float32(i*i%13)+0.5, float32(i%5)+float32(i)/10)
			labels = append(labels, []string{"a", "b", "c"}[i%3])
		}
		return must(New("x", x, []string{"copy", "g", "h", "k"}, labels))(t)
	}
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		column func(i int) float32
		said   bool
	}{
		"numbers of the classes": {func(i int) float32 { return float32(i % 3) }, true},
		"of one class":           {func(i int) float32 { return map[bool]float32{true: 1}[i%3 == 1] }, true},
		"with holes":             {func(i int) float32 { return map[bool]float32{true: nan, false: float32(i % 3)}[i%7 == 2] }, true},
		"one row differs":        {func(i int) float32 { return map[bool]float32{true: 5, false: float32(i % 3)}[i == 9] }, false},
		"a constant":             {func(int) float32 { return 3 }, false},
		"few values":             {func(i int) float32 { return map[bool]float32{true: float32(i % 3), false: nan}[i < 6] }, false},
	} {
		if text := of(table(c.column)); strings.Contains(text, `"copy" has one value in each class`) != c.said || c.said && !strings.Contains(text, "ignore=copy") {
			t.Errorf("%s: %q", name, text)
		}
	}
	var x []float32
	var y []float64
	for i := range rows {
		quantity := float64(i*i%17) + float64(i)/10
		y = append(y, quantity)
		x = append(x, float32(2.54*quantity-3), float32(i*7%11))
	}
	if text := of(must(NewRegression("x", x, []string{"inches", "g"}, y))(t)); !strings.Contains(text, `"inches" is the label in other units`) {
		t.Errorf("%q", text)
	}
	d := table(func(i int) float32 { return float32(i*5%19) + 0.25 })
	copy(d.X[20*d.D:21*d.D], d.X[3*d.D:4*d.D])
	if text := of(d); !strings.Contains(text, "row 4 and row 21 hold the same values in every feature") {
		t.Errorf("%q", text)
	}
	names := make([]string, rows)
	for i := range names {
		names[i] = fmt.Sprint("donor ", i)
	}
	names[20] = names[3]
	if text := of(must(d.WithGroups(names))(t)); strings.Contains(text, "hold the same values") {
		t.Errorf("of one donor: %q", text)
	}
	x = nil
	var labels []string
	for i := range rows {
		x, labels = append(x, float32(i/2%2), float32(i/4%2), float32(i/8%2)), append(labels, []string{"a", "b"}[i*7%5%2])
	}
	if text := of(must(New("x", x, []string{"p", "q", "r"}, labels))(t)); text != "" {
		t.Errorf("mutations: %q", text)
	}
	counts := must(openText(t, "a.csv", "sample,TP53,IDS,patient_no,label\na,12,905,17,u\nb,340,71,3,v\nc,77,12,4,v\n"))(t)
	if text := of(counts); text != "" { // among counts, of which all differ, a number of the patient is one of them
		t.Errorf("counts: %q", text)
	}
}

// A list may be in UTF-16, as Excel saves Unicode text, or compressed.
func TestReadFeatureList_OtherEncodings(t *testing.T) {
	encoded := func(text string) []byte {
		out := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(text)) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out
	}
	features := []string{"TP53", "β-actin", "MYC"}
	names, err := ReadFeatureList("must", write(t, "list.txt", encoded("β-actin\r\nMYC\r\n")), "", features)
	if err != nil || !slices.Equal(names, []string{"β-actin", "MYC"}) {
		t.Errorf("%q, %v", names, err)
	}
	symbols, err := ReadSymbols(write(t, "symbols.txt", encoded("ENSG1\tβ-actin\r\n")), "")
	if err != nil || symbols["ENSG1"] != "β-actin" {
		t.Errorf("%q, %v", symbols, err)
	}
	split := write(t, "split.txt", encoded("a\ttest\r\nb\ttrain\r\n"))
	texts, err := (&Dataset{N: 2, Samples: []string{"a", "b"}}).readSplitFile(split, nil)
	if err != nil || !slices.Equal(texts, []string{"test", "train"}) {
		t.Errorf("%q, %v", texts, err)
	}
	_, err = ReadFeatureList("must", write(t, "binary.txt", []byte("a\x00b\x01")), "", features)
	isFault(t, err, "is not text")
}
