package read

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"fsnetlab/fsnet/config"
)

// frameOf reads a file of this name and content, with keys such as
// "label=kind"; panel, where there is one, makes it rows to predict.
func frameOf(t testing.TB, name string, content []byte, panel []string, words ...string) (*Frame, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var c config.Config
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if err := c.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	file := must(os.Open(path))(t)
	defer file.Close()
	f, err := Detect(path, filepath.Ext(path), file)
	if err != nil {
		return nil, err
	}
	return f.Read(context.Background(), must(c.Resolve())(t), Options{Panel: panel})
}

// short returns features, samples, labels, and the numbers row by row.
func (r *Frame) short() string {
	return fmt.Sprintf("%s|%s|%s|%v", strings.Join(r.Features, " "), strings.Join(r.Samples, " "), strings.Join(r.Labels, " "), r.X)
}

// xlsx is a workbook of these sheets, each of rows of cells; a cell is a text,
// or a number behind =.
func xlsx(t testing.TB, sheets ...string) []byte {
	t.Helper()
	parts := map[string]string{}
	var names, relations strings.Builder
	for k, text := range sheets {
		name, rows, _ := strings.Cut(text, ":")
		fmt.Fprintf(&names, `<sheet name="%s" r:id="r%d"/>`, name, k)
		fmt.Fprintf(&relations, `<Relationship Id="r%d" Type="http://x/worksheet" Target="worksheets/s%d.xml"/>`, k, k)
		var xml strings.Builder
		for line := range strings.Lines(rows) {
			xml.WriteString("<row>")
			for cell := range strings.SplitSeq(strings.TrimSpace(line), ",") {
				if number, is := strings.CutPrefix(cell, "="); is {
					fmt.Fprintf(&xml, "<c><v>%s</v></c>", number)
				} else {
					fmt.Fprintf(&xml, `<c t="inlineStr"><is><t>%s</t></is></c>`, cell)
				}
			}
			xml.WriteString("</row>")
		}
		parts[fmt.Sprintf("xl/worksheets/s%d.xml", k)] = "<worksheet><sheetData>" + xml.String() + "</sheetData></worksheet>"
	}
	parts["xl/workbook.xml"] = "<workbook><sheets>" + names.String() + "</sheets></workbook>"
	parts["xl/_rels/workbook.xml.rels"] = "<Relationships>" + relations.String() + "</Relationships>"
	return book(t, parts)
}

const (
	upright = "patient,g,h,age,kind\nP1,1,2,40,u\nP2,3,4,41,v\nP3,5,6,42,u\n"
	lying   = "gene,P1,P2,P3\ng,1,3,5\nh,2,4,6\nage,40,41,42\nkind,u,v,u\n"
	plainGH = "g h|P1 P2 P3|u v u|[1 2 3 4 5 6]"
)

// Whichever its orientation and format, it is the same table, also without an
// ignored column.
func TestRoles_OneTable(t *testing.T) {
	cells := strings.NewReplacer("P", "P", ",1", ",=1", ",2", ",=2", ",3", ",=3", ",4", ",=4", ",5", ",=5", ",6", ",=6").Replace
	for name, content := range map[string][]byte{
		"a.csv": []byte(upright), "b.csv": []byte(lying), "c.tsv": []byte(strings.ReplaceAll(upright, ",", "\t")), "d.csv.gz": packed(t, "gzip", upright),
		"e.csv.gz": packed(t, "gzip", lying), "f.xlsx": xlsx(t, "One:"+cells(upright)), "g.xlsx": xlsx(t, "One:"+cells(lying)),
		"h.txt": []byte(strings.ReplaceAll(lying, ",", "|")),
	} {
		r, err := frameOf(t, name, content, nil, "label=kind", "ignore=age")
		if err != nil || r.short() != plainGH {
			t.Errorf("%s: %v, %v", name, r, err)
			continue
		}
		r, err = frameOf(t, name, content, []string{"h"}, "label=kind")
		if err != nil || r.short() != "h|P1 P2 P3|u v u|[2 4 6]" {
			t.Errorf("%s, to predict: %+v, %v", name, r, err)
		}
		_, err = frameOf(t, name, content, nil, "label=kind", "ignore=agee")
		isLine(t, name, err, "age")
	}
	r, err := frameOf(t, "a.csv", []byte(lying), nil, "label=kind", "ignore=age,P2")
	if err != nil || r.short() != "g h|P1 P3|u u|[1 2 5 6]" {
		t.Errorf("without a sample: %v, %v", r, err)
	}
}

// Another table describes the samples by their names, in every format and in
// either orientation.
func TestRoles_AnnotationsOfEveryFormat(t *testing.T) {
	gct := "#1.2\n2\t3\nName\tDescription\tP1\tP2\tP3\ng\tna\t1\t3\t5\nh\tna\t2\t4\t6\n"
	described := "who,kind,age\nP3,u,42\nP2,v,41\nP1,u,40\nP9,v,1\n"
	bare, turned := "patient,g,h\nP1,1,2\nP2,3,4\nP3,5,6\n", "gene,P1,P2,P3\ng,1,3,5\nh,2,4,6\n"
	parquet := must(os.ReadFile("../testdata/tables/groups.parquet"))(t)
	for _, beside := range []struct {
		name    string
		content []byte
	}{
		{"described.csv", []byte(described)}, {"described.tsv.gz", packed(t, "gzip", strings.ReplaceAll(described, ",", "\t"))}, {"described.xlsx", xlsx(t, "One:"+described)},
	} {
		path := filepath.Join(t.TempDir(), beside.name)
		if err := os.WriteFile(path, beside.content, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string][]byte{
			"a.csv": []byte(bare), "b.csv": []byte(turned), "c.csv.gz": packed(t, "gzip", turned), "d.gct": []byte(gct), "e.xlsx": xlsx(t, "One:"+bare),
			"f.csv": []byte(strings.Replace(bare, "patient", "", 1)), "g.csv": []byte("name,P1,P2,P3\ng,1,3,5\nh,2,4,6\nlabel,x,y,z\n"),
			"h.csv": []byte("patient,g,h,kind\nP1,1,2,x\nP2,3,4,y\nP3,5,6,y\n"),
			"i.csv": []byte("gene,about,P1,P2,P3\ng,\"a, b\",1,3,5\nh,c,2,4,6\n"), "j.csv": []byte("gene,P0,P1,P2,P3\ng,7,1,3,5\nh,7,2,4,6\n"),
		} {
			words := []string{"annotations=" + path, "label=kind", "groups=AGE"}
			switch name {
			case "g.csv":
				words = append(words, "ignore=label")
			case "j.csv":
				words = append(words, "ignore=P0")
			}
			r, err := frameOf(t, name, content, nil, words...)
			if err != nil || r.short() != plainGH || !slices.Equal(r.Described["AGE"], []string{"40", "41", "42"}) || !strings.Contains(strings.Join(r.Notes, ";"), "names the rows; 1 of its lines name no row") {
				t.Errorf("%s of %s: %v, %v", name, beside.name, r, err)
			} else if name == "i.csv" && !strings.Contains(strings.Join(r.Notes, ";"), `"about" describe the features`) {
				t.Errorf("%s of %s: notes %q", name, beside.name, r.Notes)
			}
		}
	}
	// a table with typed columns
	path := filepath.Join(t.TempDir(), "kinds.csv")
	if err := os.WriteFile(path, []byte("row,kind\nGSM0,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := frameOf(t, "a.parquet", parquet, nil, "annotations="+path, "label=kind", "samples=sample", "ignore=diagnosis")
	isLine(t, "Parquet", err, "describes no row")
	_, err = frameOf(t, "a.parquet", parquet, nil, "annotations="+path, "label=kind", "ignore=diagnosis,sample")
	isLine(t, "Parquet without names", err, "samples=")
}

// A file with types and samples as columns is transposed if annotations, or a
// panel, say so.
func TestRoles_TurnsTypedTables(t *testing.T) {
	content := arrowOf(t, map[string]any{"0gene": []string{"g", "h"}, "P1": []float64{1, 2}, "P2": []float64{3, 4}, "P3": []float64{5, 6}})
	path := filepath.Join(t.TempDir(), "described.csv")
	if err := os.WriteFile(path, []byte("who,kind\nP1,u\nP2,v\nP3,u\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := frameOf(t, "a.arrow", content, nil, "annotations="+path, "label=kind"); err != nil || r.short() != plainGH {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := frameOf(t, "a.arrow", content, []string{"h"}); err != nil || r.short() != "h|P1 P2 P3||[2 4 6]" {
		t.Errorf("%v, %v", r, err)
	}
}

// arrowOf is a stream of Arrow; columns come in the order of their names.
func arrowOf(t testing.TB, columns map[string]any) []byte {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	names := []string{}
	for name := range columns {
		names = append(names, name)
	}
	slices.Sort(names)
	rows := 0
	for _, name := range names {
		var a arrow.Array
		switch values := columns[name].(type) {
		case []string:
			b := array.NewStringBuilder(memory.DefaultAllocator)
			b.AppendValues(values, nil)
			a = b.NewArray()
		case [][]byte:
			b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
			b.AppendValues(values, nil)
			a = b.NewArray()
		case []float64:
			b := array.NewFloat64Builder(memory.DefaultAllocator)
			b.AppendValues(values, nil)
			a = b.NewArray()
		case []int64: // decimals of two digits
			b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 20, Scale: 2})
			for _, v := range values {
				b.Append(decimal128.FromI64(v))
			}
			a = b.NewArray()
		}
		rows = a.Len()
		fields, arrays = append(fields, arrow.Field{Name: name, Type: a.DataType(), Nullable: true}), append(arrays, a)
	}
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, arrays, int64(rows))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Decimals are numbers, bytes without a type of text are text, and decimals as
// classes have no zeros at their end.
func TestArrow_Types(t *testing.T) {
	content := arrowOf(t, map[string]any{"a": [][]byte{[]byte("P1"), []byte("P2")}, "g": []int64{150, -25}, "label": []int64{34510, 37950}})
	r, err := frameOf(t, "a.arrow", content, nil)
	if err != nil || r.short() != "g|P1 P2|345.1 379.5|[1.5 -0.25]" {
		t.Errorf("%v, %v", r, err)
	}
}

// The remedy for values that aren't numbers considers the whole column, and
// following it makes the table readable.
func TestRoles_RemedyChecksTheColumn(t *testing.T) {
	const rest = "b,2,5,u\nc,3,6,v\nd,4,7,v\n"
	with := func(first string) string { return "sample,g,h,label\n" + first + "\n" + rest }
	for name, c := range map[string]struct {
		text, says, not string
		then            string // the text once it was followed
		words           []string
	}{
		"a limit":           {with("a,<LOD,4,u"), `"<LOD" is not a number`, "covariates", with("a,,4,u"), []string{"missing=drop"}},
		"below a limit":     {with("a,< 0.5,4,u"), "such as half the limit", "covariates", with("a,0.25,4,u"), nil},
		"not detected":      {with("a,n.d.,4,u"), "such as half the limit", "covariates", with("a,0.25,4,u"), nil},
		"all limits first":  {with("a,ND,ND,u"), "nor is 0", "take line", with("a,0.25,0.5,u"), nil},
		"a share":           {with("a,5.6%,4,u"), "without %", "covariates", with("a,5.6,4,u"), nil},
		"a word":            {with("a,high,4,u"), "correct it", "covariates", with("a,,4,u"), []string{"missing=mean"}},
		"units":             {with("-,ng/mL,ng/mL,-"), "take line 2 out", "covariates", "sample,g,h,label\n" + rest, nil},
		"a second header":   {with("name,one,two,kind"), "take line 2 out", "covariates", "sample,g,h,label\n" + rest, nil},
		"a header above":    {"x,RNA,RNA,meta\nsample,g,h,label\n" + rest, "take line 1 out", "covariates", "sample,g,h,label\n" + rest, nil},
		"headers of pandas": {",RNA,RNA,meta\n,g,h,label\nsample,,,\n" + rest, "take lines 1 and 3 out", "covariates", ",g,h,label\n" + rest, nil},
		"words":             {"sample,g,h,sex,label\nb,2,5,f,u\nc,3,6,m,v\nd,4,7,m,v\n", "covariates=sex makes", "correct", "", []string{"ignore=sex"}},
		"words of lines":    {"gene,a,b,c\ng,1,2,3\nsex,f,m,m\nlabel,u,v,v\n", "ignore=sex leaves it out", "samples=", "", []string{"ignore=sex"}},
	} {
		_, err := frameOf(t, "a.csv", []byte(c.text), nil)
		says := c.says
		if says == "nor is 0" {
			says = "half the limit"
		}
		isLine(t, name, err, says)
		if err != nil && strings.Contains(err.Error(), c.not) {
			t.Errorf("%s: %q says %q", name, err, c.not)
		}
		if c.then == "" {
			c.then = c.text
		}
		if r, err := frameOf(t, "a.csv", []byte(c.then), nil, c.words...); err != nil || r.Samples == nil || len(r.Labels) < 3 {
			t.Errorf("%s, once it was followed: %v, %v", name, r, err)
		}
		tabs := strings.ReplaceAll(c.text, ",", "\t")
		_, err = frameOf(t, "a.tsv.gz", packed(t, "gzip", tabs), nil)
		isLine(t, name+" among tabs", err, says)
	}
	typed := arrowOf(t, map[string]any{"g": []string{"1", "<LOD", "3"}, "h": []float64{1, 2, 3}, "label": []string{"u", "v", "v"}})
	_, err := frameOf(t, "a.arrow", typed, nil)
	isLine(t, "a limit in a column of text", err, "half the limit")
}

// A gene called RDX doesn't make a table an R workspace, nor does a word in the
// place of a zip member's name make it another file.
func TestFormat_NamesLikeOtherFiles(t *testing.T) {
	for _, header := range []string{"RDX,h,label", "RDX2,h,label", strings.Repeat("g", 29) + ",BZh,label", strings.Repeat("g", 29) + ",%PDF-,label"} {
		if r, err := frameOf(t, "a.csv", []byte(header+"\n1,2,u\n3,4,v\n"), nil); err != nil || len(r.Features) != 2 {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// A string or a table among the variables of a MAT file doesn't matter. An
// error about it says how to convert it.
func TestMAT_Objects(t *testing.T) {
	content := must(os.ReadFile("../testdata/uncompressed.mat"))(t)
	object := "\x06\x00\x00\x00\x08\x00\x00\x00\x11\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x04\x00word" + "\x01\x00\x04\x00MCOS" +
		"\x01\x00\x00\x00\x06\x00\x00\x00string\x00\x00"
	content = append(content, fmt.Sprintf("\x0e\x00\x00\x00%c\x00\x00\x00%s", len(object), object)...)
	if r, err := frameOf(t, "a.mat", content, nil); err != nil || len(r.Labels) == 0 {
		t.Errorf("%v, %v", r, err)
	}
	_, err := frameOf(t, "a.mat", content, nil, "label=word")
	isLine(t, "a string", err, "variable word is of class string - convert it in MATLAB, as with cellstr(word)")
}

// If a table has a line for each feature, the columns that describe features
// aren't samples.
func TestRoles_ColumnsThatDescribeFeatures(t *testing.T) {
	const text = "id,gene,about,P1,P2,P3\nlabel,,,u,v,u\n1,g,\"a, b\",1,3,5\n2,h,,2,4,6\n"
	r, err := frameOf(t, "a.csv", []byte(text), nil)
	if err != nil || r.short() != "1 2|P1 P2 P3|u v u|[1 2 3 4 5 6]" || !strings.Contains(strings.Join(r.Notes, ";"), `"gene", "about" describe the features`) {
		t.Errorf("%v, %v", r, err)
	}
	if r, err = frameOf(t, "a.csv", []byte(text), []string{"2"}); err != nil || len(r.Samples) < 3 || !slices.Contains(r.Samples, "P3") || slices.Contains(r.Samples, "gene") {
		t.Errorf("to predict: %v, %v", r, err)
	}
	_, err = frameOf(t, "a.csv", []byte(strings.Replace(text, "label,,", "label,w,w", 1)), nil)
	isLine(t, "a column with a class", err, `"g" is not a number`)
}

// A first column of words that all differ names the samples, whatever its
// header. Other words don't.
func TestRoles_FirstColumn(t *testing.T) {
	for name, c := range map[string]struct{ text, samples string }{
		"words":         {"case no.,g,label\nTCGA-1,1,u\nTCGA-2,2,v\n", "TCGA-1 TCGA-2"},
		"some numbers":  {"case,g,label\nA1,1,u\n2,2,v\nB,3,v\n", "A1 2 B"},
		"bars and dots": {"x,g,label\n1-2,1,u\n1.2.3,2,v\n", "1-2 1.2.3"},
		"numbers":       {"x,g,label\n1,1,u\n2,2,v\n", ""},
	} {
		r, err := frameOf(t, "a.csv", []byte(c.text), nil)
		if err != nil || strings.Join(r.Samples, " ") != c.samples {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	for name, text := range map[string]string{"twice": "x,g,label\na,1,u\na,2,v\n", "missing": "x,g,label\na,1,u\n,2,v\n"} {
		_, err := frameOf(t, "a.csv", []byte(text), nil)
		isLine(t, name, err, "samples=x")
	}
}

// Between tabs, a quote inside a field is an ordinary character, wherever it
// is. Quotes around a whole field are removed.
func TestText_QuotesAmongTabs(t *testing.T) {
	far := strings.Repeat("x\t1\t2\tu\n", 50_000)
	for name, c := range map[string]struct{ text, sample, feature string }{
		"in a name":     {"s\tg\th\tlabel\n5\" a\t1\t2\tu\nb\t3\t4\tv\n", `5" a`, "g"},
		"in the header": {"s\t5'\"g\th\tlabel\na\t1\t2\tu\nb\t3\t4\tv\n", "a", `5'"g`},
		"and around":    {"\"s\"\t\"g\"\th\tlabel\n\"a\"\t1\t2\t\"u\"\n5\"b\t3\t4\tv\n", "a", "g"},
		"far down":      {"s\tg\th\tlabel\n" + far + "5\"b\t3\t4\tv\n", "x", "g"},
	} {
		for file, content := range map[string][]byte{"a.tsv": []byte(c.text), "a.txt.gz": packed(t, "gzip", c.text)} {
			r, err := frameOf(t, file, content, nil, "samples=s")
			if err != nil || r.Samples[0] != c.sample || r.Features[0] != c.feature || r.X[len(r.X)-1] != 4 {
				t.Errorf("%s, %s: %v", name, file, err)
			}
		}
	}
}

// True, TRUE and true are one class, in columns, lines and cells. A column with
// other words has words.
func TestRoles_TruthValues(t *testing.T) {
	for file, content := range map[string][]byte{
		"a.csv": []byte("g,label\n1,TRUE\n2,True\n3,false\n"), "b.csv": []byte("id,p,q,r\ng,1,2,3\nlabel,TRUE,true,False\n"), "c.xlsx": xlsx(t, "One:g,label\n=1,TRUE\n=2,true\n=3,FALSE\n"),
	} {
		if r, err := frameOf(t, file, content, nil); err != nil || !slices.Equal(r.Labels, []string{"True", "True", "False"}) {
			t.Errorf("%s: %v, %v", file, r, err)
		}
	}
	if r, err := frameOf(t, "a.csv", []byte("g,label\n1,TRUE\n2,maybe\n3,true\n"), nil); err != nil || !slices.Equal(r.Labels, []string{"TRUE", "maybe", "true"}) {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := frameOf(t, "a.csv", []byte("flag,g\nTRUE,1\nFALSE,2\n,3\n"), []string{"flag=True", "g"}, "covariates=flag"); err != nil || len(r.X) != 6 || r.X[1] != 1 || r.X[3] != 0 || !math.IsNaN(float64(r.X[5])) {
		t.Errorf("%v, %v", r, err)
	}
}

// A sheet is read by its name. If the first one isn't a table, the error names
// the others.
func TestWorkbook_Sheets(t *testing.T) {
	content := xlsx(t, "README:This book,holds\nnothing,here\n", "Data &amp; co:patient,g,h,kind\nP1,=1,=2,u\nP2,=3,=4,v\nP3,=5,=6,u\n", "More:g,label\n=1,u\n")
	_, err := frameOf(t, "a.xlsx", content, nil)
	isLine(t, "the first sheet", err, `name it with sheet=: "Data & co", "More"`)
	for _, sheet := range []string{"Data & co", "data & CO"} {
		if r, err := frameOf(t, "a.xlsx", content, nil, "sheet="+sheet, "label=kind"); err != nil || r.short() != plainGH {
			t.Errorf("%s: %v, %v", sheet, r, err)
		}
	}
	_, err = frameOf(t, "a.xlsx", content, nil, "sheet=Mor")
	isLine(t, "no such sheet", err, "did you mean More?")
	_, err = frameOf(t, "a.csv", []byte(upright), nil, "sheet=More")
	isLine(t, "no workbook", err, "sheet is for workbooks")
	if r, err := frameOf(t, "a.xlsx", xlsx(t, "One:g,label\n=1,u\n=2,v\n", "Two:x,y\n"), nil); err != nil || !strings.Contains(strings.Join(r.Notes, ";"), `sheet= names another: "Two"`) {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := frameOf(t, "a.csv", []byte(upright), []string{"g"}, "sheet=More"); err != nil || len(r.X) != 3 {
		t.Errorf("to predict: %v, %v", r, err)
	}
}

// Stored numbers are names as a spreadsheet shows them, in labels, headers,
// groups and names of samples. Escapes are decoded.
func TestWorkbook_NumbersAndEscapes(t *testing.T) {
	r, err := frameOf(t, "a.xlsx", xlsx(t, "One:id,=0.10000000000000001,fold,label\na_x000D_,=1,=0.30000000000000004,=345.10000000000002\nb_x005F_x000D_,=2,=0.20000000000000001,345.1\nc_x0_,=3,=1.0,=379.5\n"), nil, "groups=fold")
	if err != nil || r.short() != "0.1|a b_x000D_ c_x0_|345.1 345.1 379.5|[1 2 3]" || !slices.Equal(r.Described["fold"], []string{"0.30000000000000004", "0.2", "1"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// The line of types below a header of QIIME 2 isn't a sample, and a note says
// that it isn't read.
func TestRoles_QIIMETypes(t *testing.T) {
	const text = "sample-id\tg\th\tkind\n#q2:types\tnumeric\tnumeric\tcategorical\nP1\t1\t2\tu\nP2\t3\t4\tv\nP3\t5\t6\tu\n"
	r, err := frameOf(t, "a.tsv", []byte(text), nil, "label=kind")
	if err != nil || r.short() != plainGH || !strings.Contains(strings.Join(r.Notes, ";"), "#q2:types not read") {
		t.Errorf("%v, %v", r, err)
	}
}

// counted counts the bytes that are read from a file.
type counted struct {
	*bytes.Reader
	read *int
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.read += n
	return n, err
}

// A compressed table is unpacked once to be read, and once more if it must be
// transposed.
func TestText_UnpacksAtMostTwice(t *testing.T) {
	var up, down strings.Builder
	up.WriteString("id")
	for j := range 2000 {
		fmt.Fprintf(&up, ",g%d", j)
		fmt.Fprintf(&down, "g%d", j)
		for i := range 100 {
			fmt.Fprintf(&down, ",%d", (i*7919+j*104729)%9973)
		}
		down.WriteString("\n")
	}
	up.WriteString(",label\n")
	head := "id"
	for i := range 100 {
		fmt.Fprintf(&up, "s%d", i)
		for j := range 2000 {
			fmt.Fprintf(&up, ",%d", (i*7919+j*104729)%9973)
		}
		up.WriteString(",u\n")
		head += fmt.Sprintf(",s%d", i)
	}
	for name, c := range map[string]struct {
		text string
		most float64
	}{"upright": {up.String(), 1.1}, "lying": {head + "\n" + down.String() + "label" + strings.Repeat(",u", 100) + "\n", 2.1}} {
		content, read := packed(t, "gzip", c.text), 0
		file := counted{bytes.NewReader(content), &read}
		f, err := Detect("a.csv.gz", ".gz", file)
		if err == nil {
			_, err = f.Read(t.Context(), config.Settings{}, Options{})
		}
		if times := float64(read) / float64(len(content)); err != nil || times > c.most {
			t.Errorf("%s: read %.2f times, %v", name, times, err)
		}
	}
}
