package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The report says which rows belong together and which are held out, in rows
// and groups.
func TestData_DescribesTheDivision(t *testing.T) {
	var table strings.Builder
	table.WriteString("id,gene,other,donor,fold,label\n")
	for i := range 24 {
		fmt.Fprintf(&table, "s%d,%d,%d,%d,%d,%c\n", i, i*7%5, i*i%11, i/3, i/12, 'u'+rune(i%2))
	}
	file := filepath.Join(t.TempDir(), "cohort.csv")
	if err := os.WriteFile(file, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		options []string
		says    string
	}{
		{[]string{"--groups", "donor"},
			"donor: 8 groups of 3 rows each\ntrain: 12 rows, u (6), v (6), of 4 groups\ntest: 12 rows, u (6), v (6), of 4 groups\n"},
		{[]string{"--covariates", "donor"}, "train: 12 rows, u (6), v (6)\ntest: 12 rows, u (6), v (6)\n"},
		{[]string{"--split", "column:fold"}, "fold \"0\": 12 rows, u (6), v (6)\nfold \"1\": 12 rows, u (6), v (6)\n"},
		{[]string{"--split", "column:donor=7", "--validation-fraction", "0.2"},
			"train: 17 rows, u (9), v (8)\nvalidation: 4 rows, u (2), v (2)\ntest: 3 rows, u (1), v (2)\n"},
	} {
		out, messages, status := command(t, append([]string{"data", file, "--backend", "go"}, test.options...)...)
		if status != 0 || !strings.Contains(out, test.says) {
			t.Errorf("%v: status %d, %s%s", test.options, status, out, messages)
		}
	}
	if _, messages, status := command(t, "fit", file, "--k=1", "--backend=go", "--split=column:fold"); status != 2 ||
		!strings.Contains(messages, "split=column:fold=0") {
		t.Errorf("status %d, %s", status, messages)
	}
}

// A table that can't be trained on is described as far as possible: what was
// read shows why.
func TestData_UntrainableTable(t *testing.T) {
	for label, says := range map[string]string{"u": `4 samples, all of one class, "u"`, "v": `class "v" has one sample only`} {
		path := write(t, "a.csv", "gene,other,label\n1,2,u\n2,1,u\n3,5,u\n4,4,"+label+"\n")
		out, messages, status := command(t, "data", path, "--backend=go")
		if status != 2 || !strings.HasPrefix(out, "a: 4 rows × 2 features, classes u (") || !strings.Contains(messages, says) {
			t.Errorf("status %d, %s%s", status, out, messages)
		}
	}
}

// A sparse data set with the user's own folds is described completely.
func TestData_SparseFolds(t *testing.T) {
	const cells, genes = 3000, 6000 // dense they would take more than 64 MiB
	dir := t.TempDir()
	var matrix, barcodes, features, described strings.Builder
	fmt.Fprintf(&matrix, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n", genes, cells, 4*cells)
	described.WriteString("barcode,cell_type,fold\n")
	for i := range cells {
		for g := range 4 {
			fmt.Fprintf(&matrix, "%d %d %d\n", (i*7+g*1501)%genes+1, i+1, i%5+g+1)
		}
		fmt.Fprintf(&barcodes, "c%d\n", i)
		fmt.Fprintf(&described, "c%d,%c,%d\n", i, 'u'+rune(i%2), i/2%3)
	}
	for g := range genes {
		fmt.Fprintf(&features, "id%d\tgene%d\tGene Expression\n", g, g)
	}
	for name, text := range map[string]string{
		"matrix.mtx": matrix.String(), "barcodes.tsv": barcodes.String(), "features.tsv": features.String(), "described.csv": described.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, messages, status := command(t, "data", dir, "--annotations", filepath.Join(dir, "described.csv"), "--label", "cell_type",
		"--split", "column:fold", "--backend", "go", "--k", "2")
	for _, words := range []string{"it stays sparse", `fold "2": 1000 rows`, "% of the values are not 0\n"} {
		if status != 0 || !strings.Contains(out, words) {
			t.Errorf("status %d, nothing of %q in:\n%s%s", status, words, out, messages)
		}
	}
}

// data and fit note a class that is spelled in two ways and a column that
// numbers the rows, and leave nothing out.
func TestData_NotesPossibleMistakes(t *testing.T) {
	var table strings.Builder
	table.WriteString("gene,other,patient_no,label\n")
	for i := range 24 {
		fmt.Fprintf(&table, "%d,%d,%d,%s\n", i*7%5, i*3%11, i+1, []string{"ALL", "AML", "all", "AML"}[i%4])
	}
	path := filepath.Join(t.TempDir(), "cohort.csv")
	if err := os.WriteFile(path, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"data", path, "--backend=go"}, {"fit", path, "--k=1", "--epochs=2", "--backend=go", "-q"}} {
		out, messages, status := command(t, args...)
		if status != 0 || !strings.Contains(out, "24 rows × 3 features") ||
			!strings.Contains(out, "\nnote: the classes \"ALL\", \"all\" differ in capitals, blanks, or in how letters are coded alone: "+
				"if they are one, write them in one way\n"+
				"note: \"patient_no\" may number the rows, but may be chosen as a feature: if so, leave it out with --ignore patient_no, or use --samples patient_no\n") {
			t.Errorf("%v: status %d: %s%s", args, status, out, messages)
		}
	}
}

// predict --csv guards words that look like formulas, and leaves numbers as
// they are.
func TestGuarded_Formulas(t *testing.T) {
	for word, want := range map[string]string{
		"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+x": "'+x", "-x": "'-x", "＝1": "'＝1", "-1.5": "-1.5", "+3e-7": "+3e-7", "s1": "s1", "": "", "-": "'-",
	} {
		if got := guarded(word); got != want {
			t.Errorf("%q became %q, want %q", word, got, want)
		}
	}
}
