package dataset

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pivot writes a long table with a line for each sample, as
// pandas.DataFrame.pivot does.
func pivot(text, separator, sample, feature, value, label string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	header := strings.Split(lines[0], separator)
	at := func(name string) int { return slices.Index(header, name) }
	cells, labels := map[[2]string]string{}, map[string]string{}
	var samples, features []string
	for _, line := range lines[1:] {
		fields := strings.Split(line, separator)
		s, f := fields[at(sample)], fields[at(feature)]
		cells[[2]string{s, f}], labels[s] = fields[at(value)], fields[at(label)]
		samples, features = append(samples, s), append(features, f)
	}
	slices.Sort(samples)
	slices.Sort(features)
	samples, features = slices.Compact(samples), slices.Compact(features)
	var out strings.Builder
	fmt.Fprintf(&out, "%s,%s,%s\n", sample, label, strings.Join(features, ","))
	for _, s := range samples {
		fmt.Fprintf(&out, "%s,%s", s, labels[s])
		for _, f := range features {
			fmt.Fprintf(&out, ",%s", cells[[2]string{s, f}])
		}
		out.WriteString("\n")
	}
	return out.String()
}

// excel writes a workbook of texts and numbers, with ranges of merged cells.
func excel(t *testing.T, rows [][]string, merged ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	var body strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&body, `<row r="%d">`, i+1)
		for j, cell := range row {
			at := fmt.Sprintf("%c%d", 'A'+j, i+1)
			style := ""
			if rest, is := strings.CutPrefix(cell, "000:"); is {
				cell, style = rest, ` s="1"`
			}
			if cell == "" {
				continue
			}
			if strings.Trim(cell, "0123456789.-") == "" {
				fmt.Fprintf(&body, `<c r="%s"%s><v>%s</v></c>`, at, style, cell)
			} else {
				fmt.Fprintf(&body, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, at, cell)
			}
		}
		body.WriteString("</row>")
	}
	var merges strings.Builder
	for _, at := range merged {
		fmt.Fprintf(&merges, `<mergeCell ref="%s"/>`, at)
	}
	for name, content := range map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml":   "<worksheet><sheetData>" + body.String() + "</sheetData><mergeCells>" + merges.String() + "</mergeCells></worksheet>",
	} {
		f := must(w.Create(name))(t)
		must(io.WriteString(f, content))(t)
	}
	must(0, w.Close())(t)
	return out.Bytes()
}

// TestOpen_PointsBetweenThousands ensures that 1.152 beside 469 is refused, in
// every kind of text and either layout, that the numbers are read once the
// remedy is followed, and that decimal points stay.
func TestOpen_PointsBetweenThousands(t *testing.T) {
	european := "s;g;h;label\na;469;1.152;u\nb;1.654;462;v\nc;980;2.934;u\nd;519;1.387;v\n"
	right := "g h|a b c d|[0 1 0 1] of u v|[469 1152 1654 462 980 2934 519 1387]"
	comma, tabs := strings.ReplaceAll(european, ";", ","), strings.ReplaceAll(european, ";", "\t")
	quoted := regexp.MustCompile(`[\d.]+`).ReplaceAllString(comma, `"$0"`)
	lying := "g\ta\tb\tc\td\ng\t469\t1.654\t980\t519\nh\t1.152\t462\t2.934\t1.387\nlabel\tu\tv\tu\tv\n"
	gct := "#1.3\n2\t4\t0\t1\nid\ta\tb\tc\td\nlabel\tu\tv\tu\tv\ng\t469\t1.654\t980\t519\nh\t1.152\t462\t2.934\t1.387\n"
	for name, text := range map[string]string{"a.csv": european, "b.csv": comma, "c.tsv": tabs, "d.csv": quoted, "e.tsv": lying, "f.gct": gct} {
		_, err := openText(t, name, text, "k=1")
		isFault(t, err, "separate thousands", "write numbers without separators between thousands")
		followed := regexp.MustCompile(`(\d)\.(\d{3})`).ReplaceAllString(text, "$1$2")
		if d, err := openText(t, name, followed, "k=1"); err != nil || summary(d) != right {
			t.Errorf("%s: %v, %v", name, d, err)
		}
		decimal := regexp.MustCompile(`(^|[^\d.])(469|462|980|519)\b`).ReplaceAllString(text, "${1}${2}.0")
		if d, err := openText(t, name, decimal, "k=1"); err != nil || d.X[1] != 1.152 {
			t.Errorf("%s with decimal points: %v, %v", name, d, err)
		}
	}
	texts := [][]string{{"s", "g", "label"}, {"a", "469 ", "u"}, {"b", "1.654 ", "v"}, {"c", "980 ", "u"}, {"d", "2.519 ", "v"}} // a blank keeps them texts
	path := write(t, "a.xlsx", excel(t, texts))
	s := settings(t, "k=1")
	s.Data = path
	_, err := Open(t.Context(), s, "")
	isFault(t, err, "separate thousands")
	for name, text := range map[string]string{
		"three decimals":           "g,h,label\n1.152,2.469,u\n1.654,3.462,v\n",
		"three decimals and zero":  "g,h,label\n1.152,0,u\n0,3.462,v\n",
		"a column of whole":        "g,h,label\n1.152,46,u\n1.654,39,v\n",
		"a fraction elsewhere":     "g,h,label\n1.152,0.5,u\n165,3.462,v\n",
		"numbers above a thousand": "g,h,label\n1.152,1469,u\n17,3.462,v\n2345,1.1,v\n",
	} {
		if _, err := openText(t, "a.csv", text, "k=1"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A column decides for itself, where its zeros tell.
	for name, text := range map[string]string{
		"decimals elsewhere": "g,h,label\n1.150,0.5,u\n469,3.4,v\n1.387,0.1,u\n812,7,v\n77,1.1,u\n",
		"the last column":    "h,label,g\n0.5,u,2.100\n3.4,v,1\n0.1,u,2\n9,u,3\n",
	} {
		_, err := openText(t, "a.csv", text, "k=1")
		isFault(t, err, "separate thousands", `"`+map[bool]string{true: "1.150", false: "2.100"}[name == "decimals elsewhere"]+`"`)
	}
	coded := "g,h,label\n1.150,0.5,u\n999,3.4,v\n1.387,0.1,u\n999,7,v\n"
	if d, err := openText(t, "a.csv", coded, "k=1"); err != nil || d.X[0] != 1.15 {
		t.Errorf("one code beside three decimals: %v, %v", d, err)
	}
	// Many numbers without a final zero are decimals whose zeros were dropped.
	var sharp, rough strings.Builder
	for i := range 80 {
		fmt.Fprintf(&sharp, "%g,%s\n", 100+float64(i%9-4)/1000, []string{"u", "v"}[i%2])
		fmt.Fprintf(&rough, "%s,%s\n", []string{"1.020", "469", "812", "77"}[i%4], []string{"u", "v"}[i%2])
	}
	if d, err := openText(t, "a.csv", "g,label\n"+sharp.String(), "k=1"); err != nil || d.X[0] != 99.996 {
		t.Errorf("a hundred and thousandths: %v, %v", d, err)
	}
	_, err = openText(t, "a.csv", "g,label\n"+rough.String(), "k=1")
	isFault(t, err, "separate thousands")

	// columns of texts that are read as numbers
	for _, words := range [][]string{{"label=age", "task=regression"}, {"covariates=age"}} {
		text := "g,age,label\n1,1.152,u\n2,469,v\n3,1.654,u\n4,88,v\n"
		_, err := openText(t, "a.csv", text, append(words, "k=1", "ignore="+map[bool]string{true: "label"}[len(words) > 1])...)
		isFault(t, err, "separate thousands")
	}
}

// TestOpen_Minus ensures that every dash in front of a number is a minus, in
// features, covariates, decimal commas, exponents and quantities.
func TestOpen_Minus(t *testing.T) {
	for _, dash := range []string{"-", "−", "‒", "–", "－", "‐"} {
		text := strings.ReplaceAll("g;age;label\n~1,5;~3;u\n2;4;v\n1e~1;5;u\n", "~", dash)
		d, err := openText(t, "a.csv", text, "k=1", "covariates=age")
		if err != nil || fmt.Sprint(d.X) != "[-1.5 -3 2 4 0.1 5]" {
			t.Errorf("%s: %v, %v", dash, d, err)
		}
		if d, err = openText(t, "a.csv", strings.ReplaceAll("g,age\n1,~3\n2,4\n3,5.5\n", "~", dash), "k=1", "label=age", "task=regression"); err != nil || d.Target[0] != -3 {
			t.Errorf("%s: %v, %v", dash, d, err)
		}
	}
	_, err := openText(t, "a.csv", "g,label\n—,u\n1,v\n", "k=1")
	isFault(t, err, `"—" is not a number`)
}

// TestOpen_Separators ensures that spaces and apostrophes between thousands are
// named for what they are, and that their remedy works.
func TestOpen_Separators(t *testing.T) {
	for separator, name := range map[string]string{
		"'": "an apostrophe", "’": "an apostrophe (U+2019)", " ": "a space", "\u00a0": "a no-break space (U+00A0)", "\u202f": "a narrow no-break space (U+202F)",
		"\u2009": "a thin space (U+2009)", "\u2007": "a figure space (U+2007)", "\u200b": "an invisible character (U+200B)",
	} {
		for _, file := range []string{"a.csv", "a.tsv"} {
			text := "s;g;label\na;1~234;u\nb;5;v\nc;1~234~567;u\n"
			if file == "a.tsv" {
				text = strings.ReplaceAll(text, ";", "\t")
			}
			_, err := openText(t, file, strings.ReplaceAll(text, "~", separator), "k=1")
			isFault(t, err, "is not a number because of "+name)
			if separator != "\u200b" && !strings.Contains(err.Error(), "with nothing between thousands") {
				t.Error(err)
			}
			if d, err := openText(t, file, strings.ReplaceAll(text, "~", ""), "k=1"); err != nil || d.X[0] != 1234 {
				t.Errorf("%v, %v", d, err)
			}
		}
	}
	for _, text := range []string{"s;g;label\na;1.234,5;u\nb;5,25;v\n", "s\tg\tlabel\na\t1,234.5\tu\nb\t5\tv\n", "s;g;label\na;1.234.567;u\nb;5;v\n"} {
		_, err := openText(t, "a.csv", text, "k=1")
		isFault(t, err, "between thousands")
	}
}

// TestOpen_MissingAsNA ensures that <NA> of pandas and R is a missing value,
// not one below a limit.
func TestOpen_MissingAsNA(t *testing.T) {
	d, err := openText(t, "a.csv", "g,h,label\n1,<NA>,u\n2,3,v\n<NA>,5,<NA>\n", "k=1", "missing=mean")
	if err != nil || d.N != 2 || d.X[1] == d.X[1] {
		t.Errorf("%v, %v", d, err)
	}
}

// TestOpen_RowsWithoutClass ensures that missing=mean fills gaps, and leaves
// out and counts the rows without a class or group, and that the remedy of
// missing=error leads there.
func TestOpen_RowsWithoutClass(t *testing.T) {
	text := "s,g,h,label,donor\na,1,,u,p\nb,2,3,,p\nc,,5,v,q\nd,4,6,u,\ne,7,8,v,q\n"
	_, err := openText(t, "a.csv", text, "k=1", "ignore=donor")
	isFault(t, err, "the class is missing", "missing=mean to leave such rows out")
	d, err := openText(t, "a.csv", text, "k=1", "ignore=donor", "missing=mean")
	if err != nil || !slices.Equal(d.Samples, []string{"a", "c", "d", "e"}) || !strings.Contains(d.Source, "1 row without a class left out") || d.X[1] == d.X[1] {
		t.Errorf("%v, %v", d, err)
	}
	d, err = openText(t, "a.csv", text, "k=1", "groups=donor", "missing=mean")
	if err != nil || !slices.Equal(d.Samples, []string{"a", "c", "e"}) || !strings.Contains(d.Source, "1 row without a value") {
		t.Errorf("%v, %v", d, err)
	}
	// the numbers of what is left are where they were
	if fmt.Sprint(d.X) != "[1 NaN NaN 5 7 8]" {
		t.Errorf("%v", d.X)
	}
	// annotations that describe some of the samples, in either layout
	path := write(t, "ann.csv", []byte("sample,label\nb,v\na,u\n"))
	for name, text := range map[string]string{"lying.csv": "gene,a,b,c\ng,1,2,3\nh,,5,6\n", "upright.csv": "id,g,h\na,1,\nb,2,5\nc,3,6\n"} {
		d, err := openText(t, name, text, "k=1", "annotations="+path, "missing=mean")
		if err != nil || summary(d) != "g h|a b|[0 1] of u v|[1 NaN 2 5]" || !strings.Contains(d.Source, "1 row without a class left out") {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// TestOpen_DescribingColumns ensures that a numeric column that describes genes
// is no sample where its name says so, and that the error for any other names
// ignore=.
func TestOpen_DescribingColumns(t *testing.T) {
	path := write(t, "ann.tsv", []byte("#Sample\tType\n#The sample\tThe type\n#STRING\tSTRING\n#1\t1\nSAMPLE\tTYPE\na\tu\nb\tv\n"))
	for _, name := range []string{"Entrez_Gene_Id", "ENTREZID", "gene length"} {
		d, err := openText(t, "a.txt", "Hugo\t"+name+"\ta\tb\ng\t7157\t1\t2\nh\t7158\t3\t4\n", "k=1", "annotations="+path, "label=TYPE")
		if err != nil || summary(d) != "g h|a b|[0 1] of u v|[1 3 2 4]" || !strings.Contains(d.Source, `"`+name+`" describes the features, and is no sample`) {
			t.Errorf("%v, %v", d, err)
		}
	}
	text := "Hugo\trank\ta\tb\ng\t1\t1\t2\nh\t2\t3\t4\n"
	_, err := openText(t, "a.txt", text, "k=1", "annotations="+path, "label=TYPE")
	isFault(t, err, "ignore=rank")
	if d, err := openText(t, "a.txt", text, "k=1", "annotations="+path, "label=TYPE", "ignore=rank"); err != nil || d.N != 2 {
		t.Errorf("%v, %v", d, err)
	}
}

// TestOpen_ClinicalHeader ensures that lines with # that explain the columns
// are left out, with and without the line of priorities, and that a header with
// # stays one.
func TestOpen_ClinicalHeader(t *testing.T) {
	for name, text := range map[string]string{
		"five lines":  "#A\tB\tC\n#of\tthe\tsample\n#STRING\tNUMBER\tSTRING\n#1\t1\t1\nid\tg\tlabel\na\t1\tu\nb\t2\tv\n",
		"four lines":  "#A\tB\tC\n#of\tthe\tsample\n#STRING\tNUMBER\tSTRING\nid\tg\tlabel\na\t1\tu\nb\t2\tv\n",
		"one line":    "#1\t1\t1\nid\tg\tlabel\na\t1\tu\nb\t2\tv\n",
		"a header":    "# made today\n#id\tg\tlabel\na\t1\tu\nb\t2\tv\n",
		"two headers": "#x\ty\tz\n#id\tg\tlabel\na\t1\tu\nb\t2\tv\n",
		"quoted":      "#A,B,C\n#of,\"the, one\",sample\n#S,N,S\nid,g,label\na,1,u\nb,2,v\n",
	} {
		d, err := openText(t, "a.txt", text, "k=1")
		if err != nil || summary(d) != "g|a b|[0 1] of u v|[1 2]" {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// longRows is a long table of four samples and three features, in a separator.
func longRows(separator string) string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join([]string{"Plate", "SampleID", "Assay", "LOD", "NPX", "Treatment"}, separator))
	for i := range 4 {
		for j := range 3 {
			fmt.Fprintln(&b, strings.Join([]string{"P1", fmt.Sprint("S", i), fmt.Sprint("G", j), fmt.Sprint(j), fmt.Sprintf("%d.25", 7*i+j), []string{"case", "ctl"}[i%2]}, separator))
		}
	}
	return b.String()
}

// TestOpen_LongTable ensures that a table with a line for each value is
// recognised with and without its label, in every kind of file, that covariates
// are not offered, and that the line of Python that it gives makes a table that
// is read.
func TestOpen_LongTable(t *testing.T) {
	var rows [][]string
	for line := range strings.Lines(longRows(",")) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), ","))
	}
	for name, content := range map[string][]byte{
		"a.csv": []byte(longRows(",")), "b.csv": []byte(longRows(";")), "c.tsv": []byte(longRows("\t")), "d.xlsx": excel(t, rows),
		"e.csv": []byte(strings.ReplaceAll(longRows(";"), ".25", ",25")),
	} {
		for _, words := range [][]string{{"k=1"}, {"k=1", "label=Treatment"}} {
			s := settings(t, words...)
			s.Data = write(t, name, content)
			_, err := Open(t.Context(), s, "")
			isFault(t, err, "has a line for each value", "in Python: pandas.read_", `.pivot(index=["SampleID", "Treatment"], columns="Assay", values="NPX")`)
			if strings.Contains(err.Error(), "covariates") {
				t.Error(err)
			}
			if says := map[string]string{"b.csv": `sep=";"`, "c.tsv": `sep="\t"`, "e.csv": `decimal=","`}[name]; !strings.Contains(err.Error(), says) {
				t.Errorf("%v does not say %s", err, says)
			}
		}
	}
	s := settings(t, "k=1") // rows to predict
	s.Data = write(t, "new.csv", []byte(longRows(";")))
	_, err := OpenColumns(t.Context(), []string{"G0", "G2"}, s, "")
	isFault(t, err, "has a line for each value", `.pivot(index=["SampleID", "Treatment"], columns="Assay", values="NPX")`)
	d, err := openText(t, "wide.csv", pivot(longRows(","), ",", "SampleID", "Assay", "NPX", "Treatment"), "k=1", "label=Treatment")
	if err != nil || d.N != 4 || d.D != 3 || d.At(3, 2) != 23.25 || !slices.Equal(d.Samples, []string{"S0", "S1", "S2", "S3"}) {
		t.Errorf("%v, %v", d, err)
	}
	// the label says which of two columns is the sample, also where their names
	// do not
	german := "Probe;Gen;Wert;label\n"
	for i := range 24 {
		german += fmt.Sprintf("P%d;G%d;%d,25;%s\n", i/4, i%4, i, []string{"case", "ctl"}[i/4%2])
	}
	_, err = openText(t, "a.csv", german, "k=1")
	isFault(t, err, `.pivot(index=["Probe", "label"], columns="Gen", values="Wert")`)
	// a table with a line for each sample is none
	_, err = openText(t, "a.csv", "id,site,kind,g,label\na,x,p,1,u\nb,x,q,2,v\nc,y,p,3,u\nd,y,q,4,v\n", "k=1")
	isFault(t, err, "covariates=")
}

// TestOpen_MergedCells ensures that a merged cell has its value in each of its
// rows, or columns of a lying table, that titles have not, and that cells in
// the format 000 are codes.
func TestOpen_MergedCells(t *testing.T) {
	open := func(content []byte, words ...string) (*Dataset, error) {
		s := settings(t, append(words, "k=1", "samples=id")...)
		s.Data = write(t, "a.xlsx", content)
		return Open(t.Context(), s, "")
	}
	upright := [][]string{{"label", "id", "g", "h"}, {"u", "a", "1", "5"}, {"", "b", "2", ""}, {"v", "c", "3", "6"}, {"", "d", "4", "7"}}
	d, err := open(excel(t, upright, "A2:A3", "A4:A5", "D2:D3"))
	if err != nil || summary(d) != "g h|a b c d|[0 0 1 1] of u v|[1 5 2 5 3 6 4 7]" || !strings.Contains(d.Source, "the value of 3 merged cells stands in each") {
		t.Errorf("%v, %v", d, err)
	}
	openLying := func(content []byte) (*Dataset, error) {
		s := settings(t, "k=1")
		s.Data = write(t, "a.xlsx", content)
		return Open(t.Context(), s, "")
	}
	lying := [][]string{{"id", "a", "b", "c", "d"}, {"label", "u", "", "v", ""}, {"g", "1", "2", "3", "4"}}
	d, err = openLying(excel(t, lying, "B2:C2", "D2:E2"))
	if err != nil || summary(d) != "g|a b c d|[0 0 1 1] of u v|[1 2 3 4]" {
		t.Errorf("%v, %v", d, err)
	}
	titled := append([][]string{{"Our patients", "", "", ""}}, upright[0], []string{"u", "a", "1", "5"}, []string{"v", "c", "3", "6"})
	d, err = open(excel(t, titled, "A1:D1"))
	if err != nil || summary(d) != "g h|a c|[0 1] of u v|[1 5 3 6]" || strings.Contains(d.Source, "merged") {
		t.Errorf("%v, %v", d, err)
	}
	codes := [][]string{{"id", "g", "label"}, {"000:7", "000:12", "000:7"}, {"000:12", "3", "000:12"}, {"000:1234", "4", "000:7"}}
	d, err = open(excel(t, codes))
	if err != nil || summary(d) != "g|007 012 1234|[0 1 0] of 007 012|[12 3 4]" {
		t.Errorf("%v, %v", d, err)
	}
}

// TestOpen_SamplesInAnotherColumn ensures that a column of different words
// called sample or the like names the rows wherever it stands, in a training
// and in rows to predict, and that one whose words repeat does not.
func TestOpen_SamplesInAnotherColumn(t *testing.T) {
	const text = "label,sample,g,h\nu,a,1,5\nv,b,2,6\nu,c,3,7\n"
	for name, text := range map[string]string{"a.csv": text, "b.tsv": strings.ReplaceAll(text, ",", "\t"), "c.csv": "label,g,h,Sample_ID\nu,1,5,a\nv,2,6,b\nu,3,7,c\n"} {
		d, err := openText(t, name, text, "k=1")
		if err != nil || summary(d) != "g h|a b c|[0 1 0] of u v|[1 5 2 6 3 7]" || !strings.Contains(d.Source, "names the samples") {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	s := settings(t, "k=1")
	s.Data = write(t, "new.csv", []byte(text))
	if c, err := OpenColumns(t.Context(), []string{"h", "g"}, s, ""); err != nil || !slices.Equal(c.Samples, []string{"a", "b", "c"}) {
		t.Errorf("%v, %v", c, err)
	}
	_, err := openText(t, "a.csv", strings.Replace(text, "c,3", "a,3", 1), "k=1")
	isFault(t, err, `"a" is not a number`, "samples=")
}

// TestOpen_SpellingsOfSamples ensures that annotations that spell samples in
// another way are refused, not taken for those of other samples, and that the
// remedy works.
func TestOpen_SpellingsOfSamples(t *testing.T) {
	table := "id,g\n01,1\n02,2\nS3,3\n"
	for there, here := range map[string]string{"1": "01", "s3": "S3", "S03": "S3", "02.0": "02", "X02": "02"} {
		text := "sample,label\n01,u\n02,v\nS3,u\n"
		path := write(t, "ann.csv", []byte(strings.Replace(text, here+",", there+",", 1)))
		for _, missing := range []string{"missing=mean", "missing=error"} {
			_, err := openText(t, "a.csv", table, "k=1", "annotations="+path, missing)
			isFault(t, err, fmt.Sprintf("calls a sample %q, which seems to be %q of", there, here), "in the same way")
		}
		path = write(t, "ann.csv", []byte(text))
		if d, err := openText(t, "a.csv", table, "k=1", "annotations="+path); err != nil || d.N != 3 {
			t.Errorf("%v, %v", d, err)
		}
	}
	path := write(t, "ann.csv", []byte("sample,label\n1,u\n2,v\n"))
	_, err := openText(t, "a.csv", "id,g\n01,1\n02,2\n", "k=1", "annotations="+path)
	isFault(t, err, `"1", which seems to be "01"`)
	path = write(t, "ann.csv", []byte("sample,label\nTCGA.AA.01,u\nTCGA.AA.02,v\n"))
	_, err = openText(t, "a.csv", "gene,TCGA-AA-01,TCGA-AA-02\ng,1,2\nh,3,4\n", "k=1", "annotations="+path)
	isFault(t, err, "which seems to be")
}

// TestOpen_TransposedAnnotations ensures that annotations with a column for
// each sample are recognised beside both layouts of the table, and are read
// once they are transposed.
func TestOpen_TransposedAnnotations(t *testing.T) {
	across, down := write(t, "across.csv", []byte("what,a,b,c\nlabel,u,v,u\nage,1,2,3\n")), write(t, "down.csv", []byte("what,label,age\na,u,1\nb,v,2\nc,u,3\n"))
	for name, text := range map[string]string{"upright.csv": "id,g\na,1\nb,2\nc,3\n", "lying.csv": "gene,a,b,c\ng,1,2,3\nh,1,2,4\n"} {
		_, err := openText(t, name, text, "k=1", "annotations="+across)
		isFault(t, err, "has a column for each sample", "transpose it")
		if d, err := openText(t, name, text, "k=1", "annotations="+down); err != nil || d.N != 3 {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// TestOpen_OtherFormats ensures that files of other programs are named, each
// with what makes a table of them, also if they are packed.
func TestOpen_OtherFormats(t *testing.T) {
	var qza bytes.Buffer
	w := zip.NewWriter(&qza)
	must(w.Create("01234567-89ab-4cde-8f01-23456789abcd/VERSION"))(t)
	must(0, w.Close())(t)
	arff := "% made by hand\n\n@relation 'a b'\n@attribute g numeric\n@ATTRIBUTE label {u,v}\n@data\n"
	for name, c := range map[string]struct{ content, says string }{
		"a.arff": {arff + "1,u\n2,v\n", "in place of all lines up to @DATA"}, "a.csv": {arff + "1,u\n2,v\n", "an ARFF file"},
		"sparse.arff": {arff + "{0 1,1 u}\n{1 v}\n", "with the filter SparseToNonSparse"},
		"a.biom":      {`{"id": null,"format": "Biological Observation Matrix 1.0.0","type": "OTU table"}`, "biom convert -i FILE -o table.tsv --to-tsv"},
		"a.qza":       {qza.String(), "qiime tools export"}, "a.fcs": {"FCS3.1         58    1024    1025", "flowCore::read.FCS"},
		"a.json": {`[{"id":"a","g":1}]`, "pandas.read_json(file)"}, "lines.csv": {"{\"id\": \"a\", \"g\": 1}\n{\"id\": \"b\", \"g\": 2}\n", "lines=True"},
		"b.csv": {"\n<!DOCTYPE html>\n<html><body>Sign in, please</body></html>\n", "a web page"}, "c.csv": {`<?xml version="1.0"?><a/>`, "an XML file"},
	} {
		s := settings(t, "k=1")
		s.Data = write(t, name, []byte(c.content))
		_, err := Open(t.Context(), s, "")
		isFault(t, err, c.says, "which cannot be read")
	}
	// the remedies that need no other program
	if d, err := openText(t, "a.csv", "g,label\n1,u\n2,v\n", "k=1"); err != nil || d.D != 1 {
		t.Error(err)
	}
	if d, err := openText(t, "table.tsv", "# Constructed from biom file\n#OTU ID\ta\tb\ng\t1.0\t2.0\nlabel\tu\tv\n", "k=1"); err != nil || d.N != 2 {
		t.Error(err)
	}
	// parts of a Parquet table
	content := must(os.ReadFile("testdata/tables/kinds.parquet"))(t)
	for _, part := range []string{"part-00000.parquet", "year=2020/part-0.parquet"} {
		dir := t.TempDir()
		must(0, os.MkdirAll(filepath.Dir(filepath.Join(dir, part)), 0o700))(t)
		must(0, os.WriteFile(filepath.Join(dir, part), content, 0o600))(t)
		s := settings(t, "k=1")
		s.Data = dir
		_, err := Open(t.Context(), s, "")
		isFault(t, err, "parts of a Parquet table", "pandas.read_parquet(directory).to_parquet(file)")
	}
}

// TestOpen_RowsLeftOutByPandas ensures that the numbers of rows that pandas writes after rows were left
// out neither name the samples in place of a column of words nor become a feature.
func TestOpen_RowsLeftOutByPandas(t *testing.T) {
	for _, name := range []string{"filtered.parquet", "filtered.feather"} {
		s := settings(t, "k=1")
		s.Data = filepath.Join("testdata", "tables", name)
		if d, err := Open(t.Context(), s, ""); err != nil || summary(d) != "g h|a c d|[0 0 1] of u v|[1 5 3 7 4 9]" {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}
