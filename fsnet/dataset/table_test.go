package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Tables with any separator, orientation and header are read as they are meant.
func TestOpen_Tables(t *testing.T) {
	for _, test := range []struct{ name, file, content, words, want, source string }{
		{"plain", "a.csv", "g1,g2,class\n1,2,b\n3,4,a\n", "", "g1 g2||[1 0] of a b|[1 2 3 4]", ""},
		{"tabs", "a.tsv", "g 1\tLabel\n1e-3\tx\n-2.5\ty\n", "", "g 1||[0 1] of x y|[0.001 -2.5]", ""},
		{"commas in a .txt", "a.txt", "g,label\n1,x\n2,y\n", "", "g||[0 1] of x y|[1 2]", ""},
		{"semicolons in a .csv", "A.CSV", "g;label\n1;x\n2;y\n", "", "g||[0 1] of x y|[1 2]", ""},
		{"byte order mark, CRLF, quotes, blanks, empty lines", "a.csv", "\ufeff\"g,1\", g2 ,label\r\n\r\n 1 ,\"2\",x\r\n3,4,\"a \"\"y\"\"\"\r\n", "", `g,1 g2||[1 0] of a "y" x|[1 2 3 4]`, ""},
		{"classes as numbers", "a.csv", "g,label\n1,10\n2,9\n3,10.0\n", "", "g||[1 0 1] of 9 10|[1 2 3]", `column "label": 10 and 10.0 are taken for one`},
		{"codes that are one number", "a.csv", "g,label\n1,1e3\n2,1000\n3,01000\n4,1000.00\n5,9007199254740993\n6,9007199254740992\n", "", "g||[3 1 0 2 5 4] of 01000 1000 1000.00 1e3 9007199254740992 9007199254740993|[1 2 3 4 5 6]", ""},
		{"a code is a word as a covariate", "a.csv", "g,site,label\n1,007,u\n2,7,v\n3,7,u\n", "covariates=site", "g site=007 site=7||[0 1 0] of u v|[1 1 0 2 0 1 3 0 1]", ""},
		{"label and samples by name", "a.csv", "g,who,kind,class\n1,p,u,5\n2,p,v,6\n", "label=kind samples=who", "g class|p p|[0 1] of u v|[1 5 2 6]", ""},
		{"a first column without a name", "a.csv", ",g,label\n0,1,u\n1,2,v\n", "", "g|0 1|[0 1] of u v|[1 2]", "names the samples"},
		{"an index as pandas writes it", "a.csv", "index,g,label\np1,1,u\np2,2,v\n", "", "g|p1 p2|[0 1] of u v|[1 2]", ""},
		{"a header as R writes it", "a.tsv", "g\tlabel\np1\t1\tu\np2\t2\tv\n", "", "g|p1 p2|[0 1] of u v|[1 2]", "names the samples"},
		{"a first column called id", "a.csv", "ID,g,label\n17,1,u\n12,2,v\n", "", "g|17 12|[0 1] of u v|[1 2]", `"ID", names the samples`},
		{"a first column called sample that measures", "a.csv", "sample,g,label\n0.5,1,u\n,2,v\n0.5,3,v\n", "missing=mean", "sample g||[0 1 1] of u v|[0.5 1 NaN 2 0.5 3]", ""},
		{"repeated names", "a.csv", "g,g,g.1,label,g\n1,2,3,u,4\n5,6,7,v,8\n", "", "g g.2 g.1 g.3||[0 1] of u v|[1 2 3 4 5 6 7 8]", `2 repeated names got a suffix: the second "g" is called "g.2"`},
		{"covariates", "a.csv", "sex,g,age,label\nm,1,30,u\nf,2,NA,v\nNA,3,50,v\nm,4,60,u\n", "covariates=age,sex missing=mean", "g age sex=f sex=m||[0 1 1 0] of u v|[1 30 0 1 2 NaN 1 0 3 50 NaN NaN 4 60 0 1]", ""},
		{"missing values kept", "a.csv", "g,h,label\n1,?,u\nn/a,2,v\nNull,#N/A,v\n", "missing=mean", "g h||[0 1 1] of u v|[1 NaN NaN 2 NaN NaN]", ""},
		{"missing rows dropped, with the class that goes with them", "a.csv", "id,g,label\na,1,u\nb,,w\nc,3,v\nd,4,\n", "missing=drop", "g|a c|[0 1] of u v|[1 3]", ""},
		{"a line a feature", "a.csv", ",p1,p2,p3\ng1,1,2,3\ndiagnosis,u,v,u\ng2,4,5,6\n", "", "g1 g2|p1 p2 p3|[0 1 0] of u v|[1 4 2 5 3 6]", "one line per feature"},
		{"a line a feature, label and covariates by name", "a.tsv", "gene\tp1\tp2\tp3\nkind\tu\tv\tv\nsex\tm\tf\tm\ng1\t1\t2\t3\n", "label=kind covariates=sex", "g1 sex=f sex=m|p1 p2 p3|[0 1 1] of u v|[1 0 1 2 1 0 3 0 1]", ""},
		{"rows that a spreadsheet left empty", "a.csv", "id,g,label\n,,\np,1,u\n,,\nq,2,v\n,,\n,,\n", "", "g|p q|[0 1] of u v|[1 2]", ""},
		{"a name on two lines", "a.csv", "\"g\n1\",label\n1,u\n2,v\n", "", "g 1||[0 1] of u v|[1 2]", ""},
		{"semicolons, a comma in a quoted name", "a.csv", "\"g, left\";h;label\n1;2;u\n3;4;v\n", "", "g, left h||[0 1] of u v|[1 2 3 4]", ""},
		{"semicolons, commas in every name, quoted or not", "a.csv", "\"g,1\";h,2;\"i,3\";label\n1;2;3;u\n4;5;6;v\n", "", "g,1 h,2 i,3||[0 1] of u v|[1 2 3 4 5 6]", ""},
		{"commas, semicolons and a tab in names", "a.csv", "\"g;1\",h;2,\"i\t3\",label\n1,2,3,u\n4,5,6,v\n", "", "g;1 h;2 i 3||[0 1] of u v|[1 2 3 4 5 6]", ""},
		{"tabs in a .csv, commas and semicolons in names", "a.csv", "\"g,1\"\th;2\ti,3\tlabel\n1\t2\t3\tu\n4\t5\t6\tv\n", "", "g,1 h;2 i,3||[0 1] of u v|[1 2 3 4 5 6]", ""},
		{"commas in a .tsv, a tab in a quoted name", "a.tsv", "\"g\t1\",\"h\t2\",label\n1,2,u\n3,4,v\n", "", "g 1 h 2||[0 1] of u v|[1 2 3 4]", ""},
		{"semicolons in a .txt, a tab in a quoted name", "a.txt", "\"g\t1\";h;label\n1;2;u\n3;4;v\n", "", "g 1 h||[0 1] of u v|[1 2 3 4]", ""},
		{"semicolons, doubled quotes before a comma", "a.csv", "\"the \"\"g\"\", left\";label\n1;u\n2;v\n", "", `the "g", left||[0 1] of u v|[1 2]`, ""},
		{"semicolons, a name on two lines with a comma on each", "a.csv", "\"g, left\n, right\";h;label\r\n1;2;u\r\n3;4;v\r\n", "", "g, left , right h||[0 1] of u v|[1 2 3 4]", ""},
		{"semicolons behind a byte order mark and a quoted comma", "a.csv", "\ufeff\"g,1\";\"label\"\r\n1;u\r\n2;v\r\n", "", "g,1||[0 1] of u v|[1 2]", ""},
		{"semicolons as R writes them, commas in names", "a.csv", "\"g,1\";\"label\"\n\"p,1\";1;\"u\"\n\"p,2\";2;\"v\"\n", "", "g,1|p,1 p,2|[0 1] of u v|[1 2]", ""},
		{"a line a feature with semicolons and commas", "a.csv", ";\"p,1\";\"p,2\"\n\"g,1\";1;2\nlabel;u;v\n", "", "g,1|p,1 p,2|[0 1] of u v|[1 2]", ""},
		{"bars", "a.txt", "g|h|label\n1|2|u\n3|4|v\n", "", "g h||[0 1] of u v|[1 2 3 4]", ""},
		{"a bar in every name", "a.csv", "g|1,h|2,label|x\n1,2,u\n3,4,v\n", "label=label|x", "g|1 h|2||[0 1] of u v|[1 2 3 4]", ""},
		{"decimal commas, in a covariate and the label as well", "a.csv", "g;dose;h;label\n1,5;0,5;-2e3;0,5\nNA;1;1,25E-3;1\n2;1;0;1\n1;1;0;0,5\n", "covariates=dose missing=mean", "g h dose||[0 1 1 0] of 0.5 1|[1.5 -2000 0.5 NaN 0.00125 1 2 0 1 1 0 1]", "with decimal commas"},
		{"decimal commas among tabs, a line a feature", "a.txt", "\tp1\tp2\tp3\ng1\t1,5\t2,25\t3\ndiagnosis\tu\tv\tu\n", "", "g1|p1 p2 p3|[0 1 0] of u v|[1.5 2.25 3]", ""},
		{"an extension that says nothing", "a.data", "g,label\n1,u\n2,v\n", "", "g||[0 1] of u v|[1 2]", ""},
		{"names that are not UTF-8", "a.csv", "g\xe9ne,label\n1,u\n2,v\n", "", "géne||[0 1] of u v|[1 2]", "read as Windows-1252"},
		{"spaces, as R's write.table puts them", "a.txt", "\"g\" \"label\"\n\"p 1\" 1 \"u\"\n\"p 2\" 2 \"v\"\n", "", "g|p 1 p 2|[0 1] of u v|[1 2]", ""},
		{"separators at the end of every line", "a.csv", "g,h,label,,\n1,2,u,,\n3,4,v,,\n", "", "g h||[0 1] of u v|[1 2 3 4]", ""},
		{"separators at the end of every line, a line a feature", "a.csv", "name,p,q,\ng,1,2,\nlabel,u,v,\n", "", "g|p q|[0 1] of u v|[1 2]", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := must(openText(t, test.file, test.content, strings.Fields(test.words)...))(t)
			isWhole(t, d)
			if got := summary(d); got != test.want || !strings.Contains(d.Source, test.source) {
				t.Errorf("it is %s, not %s; source %q", got, test.want, d.Source)
			}
		})
	}
}

// The separator is found in a header longer than the part that is searched for
// other signs.
func TestOpen_LongHeader(t *testing.T) {
	const d = 5000
	var head, row strings.Builder
	for j := range d {
		fmt.Fprintf(&head, "\"gene %d, of the left side\";", j)
		fmt.Fprintf(&row, "%d;", j)
	}
	content := head.String() + "label\n"
	for _, class := range []string{"u", "v", "u"} {
		content += row.String() + class + "\n"
	}
	data, err := openText(t, "a.csv", content)
	if err != nil || data.D != d || data.Features[d-1] != "gene 4999, of the left side" || data.X[d-1] != d-1 {
		t.Errorf("%v: %+v", err, data)
	}
}

// A table that can't be read is rejected with the place and what to do.
func TestOpen_RejectsTables(t *testing.T) {
	manyFractions := "g,label\n"
	for i := range 30 {
		manyFractions += fmt.Sprintf("%d,%d.5\n", i, i)
	}
	for _, test := range []struct {
		name, file, content string
		words               []string
		says                []string
	}{
		{"empty", "a.csv", "", nil, []string{"a.csv is empty"}},
		{"blank lines", "a.csv", "\n\n", nil, []string{"a.csv holds no line"}},
		{"a header only", "a.csv", "g,label\n", nil, []string{"a.csv", "no samples", "one line per sample"}},
		{"a binary file", "a.csv", "\x00\x01\x02,\n", nil, []string{"a.csv is not text"}},
		{"UTF-16, cut off", "a.csv", "\xff\xfeg\x00,", nil, []string{"a.csv holds a header but no samples"}},
		{"gzip, cut off", "a.csv.gz", "\x1f\x8b\x08\x00\x00", nil, []string{"a.csv.gz is damaged or incomplete", "gzip", "download it again"}},
		{"zstd, damaged", "a.csv.zst", "\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", nil, []string{"a.csv.zst is damaged or incomplete", "zstd"}},
		{"one column", "a.csv", "label\nu\nv\n", nil, []string{"only one column", "label"}},
		{"columns aligned with spaces", "a.csv", "g  label\n1 u\n", nil, []string{"only one column", "commas"}},
		{"no header", "a.csv", "1,2,3\n4,5,6\n", nil, []string{"line 1 holds only numbers", "header"}},
		{"a column without a name", "a.csv", "g,,label\n1,2,u\n", nil, []string{"line 1: column 2 has no name"}},
		{"the line ends of old Macs", "a.csv", "g,label\r1,u\r2,v\r", nil, []string{"a.csv has the line ends of old Macs", "CSV UTF-8"}},
		{"truth values among numbers", "a.csv", "g,h,label\nTrue,2,u\n1.5,3,v\n", nil, []string{`line 3, column "g": "1.5" is not a number`}},
		{"lines above that are no titles", "a.csv", "a,b\nc,d\ng,h,label\n1,2,u\n", nil, []string{"line 3 has 3 fields, the header has 2"}},
		{"SOFT of GEO", "a.soft", "^SERIES = GSE1\n!Series_title = x\n", nil, []string{"is a SOFT file of GEO", "series_matrix.txt.gz"}},
		{"an OpenDocument table", "a.ods", "PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet", nil, []string{"is an OpenDocument file", ".xlsx"}},
		{"a field beyond the names", "a.csv", "g,label,\n1,u,\n2,v,x\n", nil, []string{"line 3 has 3 fields, the header has 2"}},
		{"a sample for a header", "a.csv", "p1,u,1.5,2.5,0.5\np2,v,1.5,2.5,1.0\n", nil, []string{"line 1 looks like a sample: 3 of its 5 names are numbers", "put a header above it"}},
		{"ragged", "a.csv", "g,h,label\n1,2,u\n1,u\n", nil, []string{"a.csv: line 3 has 2 fields, the header has 3"}},
		{"ragged after R's header", "a.csv", "g,label\nr,1,u\n2,v\n", nil, []string{"a.csv: line 3 has 2 fields, the line after the header has 3"}},
		{"a separator too many", "a.csv", "g,label\n1,u,\n2,v,\n", nil, []string{"line 2 has 3 fields, the header has 2"}},
		{"a stray quote", "a.csv", "g,label\n1,5\" u\n", nil, []string{"line 2", "quote"}},
		{"an open quote", "a.csv", "g,label\n1,\"u\n2,v\n", nil, []string{"line", "quote"}},
		{"text in a number column", "a.csv", "g,h,label\n1,2,u\n3,four,v\n", nil, []string{`a.csv: line 3, column "h": "four" is not a number`, "missing="}},
		{"text in a number column, with the sample", "a.csv", "id,h,label\nx,2,u\ny,four,v\n", nil, []string{`line 3, column "h": "four"`}},
		{"a long text", "a.csv", "g,label\n1,u\n" + strings.Repeat("ä", 100) + ",v\n", nil, []string{strings.Repeat("ä", 30) + `…" is not a number`}},
		{"columns of words", "a.csv", "sex,site,g,label\nm,a b,1,u\nf,c,2,v\nf,c,2,v\n", nil, []string{`line 2, column "site": "a b"`, "covariates=sex,site makes", "groups= names the column", "ignore=sex,site leaves them out"}},
		{"a decimal comma among commas", "a.csv", "g,label\n\"1,5\",u\n", nil, []string{`"1,5"`, "decimal point", "nothing between thousands"}},
		{"a decimal comma and a point", "a.csv", "g;h;label\n1,5;2;u\n3;2.5;v\n", nil, []string{`"1,5" on line 2 has a comma, "2.5" on line 3 a point`, "every number with a decimal point"}},
		{"a comma that may stand before thousands", "a.tsv", "g\tlabel\n1,234\tu\n12\tv\n", nil, []string{`the comma of "1,234" on line 2 may be a decimal comma`, "thousands"}},
		{"points before thousands", "a.csv", "g;label\n1.234,5;u\n", nil, []string{`"1.234,5" is not a number`}},
		{"a quantity with decimal commas", "a.csv", strings.NewReplacer(",", ";", ".", ",").Replace(manyFractions), nil, []string{"30 different numbers in 30 rows", "use task=regression"}},
		{"no label", "a.csv", "g,sex,n,stage\n1.5,m,1,x\n2.5,f,2,y\n3.5,m,1,x\n4.5,f,2,z\n5.5,m,1,z\n6.5,m,1,z\n", nil, []string{"no column or row is called label", `it could be "sex", "stage", "n"`}},
		{"no label, none in sight", "a.csv", "g,h\n1.5,2\n2.5,3\n", nil, []string{"no column or row", "label="}},
		{"two labels", "a.csv", "g,class,Y\n1,u,v\n", nil, []string{`"class", "Y"`, "label="}},
		{"the label twice", "a.csv", "g,class,class\n1,u,v\n", nil, []string{"different names"}},
		{"a misspelt label", "a.csv", "g,diagnosis\n1,u\n2,v\n", []string{"label=diagnose"}, []string{`no column or row "diagnose"`, "did you mean diagnosis?"}},
		{"an unknown label", "a.csv", "g,diagnosis\n1,u\n2,v\n3,u\n4,u\n", []string{"label=zzz"}, []string{`"zzz"`, `it could be "diagnosis"`}},
		{"unknown samples", "a.csv", "g,who,label\n1,u,v\n", []string{"samples=whom"}, []string{`no column "whom" (samples)`, "did you mean who?"}},
		{"samples that are the label", "a.csv", "g,who,label\n1,u,v\n", []string{"samples=label"}, []string{`"label" is the label`}},
		{"an unknown covariate", "a.csv", "g,sex,label\n1,u,v\n", []string{"covariates=sexe"}, []string{`no column "sexe" (covariates)`, "did you mean sex?"}},
		{"a covariate that is the label", "a.csv", "g,label\n1,v\n", []string{"covariates=label"}, []string{`"label" is named twice`}},
		{"a covariate that names the rows", "a.csv", "g,who,label\n1,p,u\n2,q,v\n3,r,v\n", []string{"covariates=who"}, []string{`covariate "who"`, "samples=who"}},
		{"an id that repeats", "a.csv", "id,g,label\np,1,u\np,2,v\n", nil, []string{`line 3, column "id": "p" also names the sample of line 2 - make`, "samples=id"}},
		{"an id that is missing", "a.csv", "id,g,label\np,1,u\n,2,v\n", nil, []string{`line 3, column "id": the sample has no name`, "samples=id"}},
		{"a first column of words", "a.csv", "Patient,g,label\nP1,1,u\nP2,2,v\nP2,3,v\n", nil, []string{`line 2, column "Patient": "P1" is not a number - samples=Patient if it names the rows`, "ignore=Patient leaves it out"}},
		{"commas between thousands", "a.csv", "g,label\n\"1,234.5\",u\n", nil, []string{`"1,234.5"`, "nothing between thousands"}},
		{"infinity", "a.csv", "g,h,label\n1,2,u\n1,-Inf,v\n", nil, []string{`line 3, column "h"`, "infinite"}},
		{"beyond 32 bits", "a.csv", "g,h,label\n1,1e39,u\n", nil, []string{`line 2, column "h"`, "3.4e38"}},
		{"beyond 64 bits", "a.csv", "g,h,label\n1,1e999,u\n", nil, []string{`line 2, column "h"`, "infinite"}},
		{"a missing value", "a.csv", "id,g,label\np,1,u\nq,NaN,v\n", nil, []string{`a.csv: line 3 (q), column "g": the value is missing`, "missing=mean", "missing=drop"}},
		{"a missing class", "a.csv", "g,label\n1,u\n2,\n", nil, []string{`line 3, column "label": the class is missing`, "missing=drop"}},
		{"no class at all", "a.csv", "g,label\n1,\n2,NA\n", []string{"missing=drop"}, []string{`column "label" holds no class at all`}},
		{"all rows dropped", "a.csv", "g,label\n,u\nNA,v\n", []string{"missing=drop"}, []string{"missing=drop leaves no row"}},
		{"no feature", "a.csv", ",label\np,u\nq,v\n", nil, []string{`no feature besides column "label"`}},
		{"regression", "a.csv", manyFractions, nil, []string{`column "label" holds 30 different numbers in 30 rows`, "use task=regression"}},
		{"a line a feature: text", "a.csv", ",p1,p2\nlabel,u,v\ng1,1,x\n", nil, []string{`line 3 ("g1"), column "p2": "x" is not a number`, "correct it"}},
		{"a line a feature: no name", "a.csv", ",p1,p2\nlabel,u,v\n,1,2\n", nil, []string{"line 3 has no name"}},
		{"a line a feature: samples", "a.csv", ",p1,p2\nlabel,u,v\ng,1,2\n", []string{"samples=p1"}, []string{"leave samples= out"}},
		{"a line a feature: covariate", "a.csv", ",p1,p2\nlabel,u,v\ng,1,2\n", []string{"covariates=h"}, []string{`no line "h"`}},
		{"a line a feature: covariate twice", "a.csv", ",p1,p2\nlabel,u,v\ng,1,2\ng,3,4\n", []string{"covariates=g"}, []string{`line 4 is the second one called "g"`}},
		{"a line a feature: label twice", "a.csv", ",p1,p2\nlabel,u,v\nlabel,1,2\n", nil, []string{"different names"}},
		{"an unknown extension", "a.docx", "PK\x00", nil, []string{"a.docx", `".docx"`, ".csv"}},
		{"R's workspace", "a.csv", "RDX3\nX\n", nil, []string{"a.csv is an R workspace", "write.csv"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := openText(t, test.file, test.content, test.words...)
			if err == nil {
				t.Fatalf("was read: %+v", d)
			}
			isFault(t, err, test.says...)
		})
	}
}

// If text turns out late not to be UTF-8, the whole table is read as if its
// first line had shown it.
func TestOpen_NotUTF8FarDown(t *testing.T) {
	content := "sample,gène,label\n" + strings.Repeat("s,1,u\ns,2,v\n", 10_000)
	for sample, want := range map[string][]string{"Z\xfcrich": {"Zürich", "gÃ¨ne", "read as Windows-1252"}, "Zürich": {"Zürich", "gène", ""}} {
		d := must(openText(t, "a.csv", content+sample+",3,v\n", "samples=sample"))(t)
		if d.Samples[d.N-1] != want[0] || d.Features[0] != want[1] || strings.Contains(d.Source, "Windows-1252") != (want[2] != "") {
			t.Errorf("%q: %q, %q, %s", sample, d.Samples[d.N-1], d.Features, d.Source)
		}
		header, err := Header(t.Context(), write(t, "a.csv", []byte(content+sample+",3,v\n")), "")
		if err != nil || len(header.Words) != 2 || len(header.Numbers) != 1 {
			t.Errorf("%q, %v", header, err)
		}
	}
}

// Lines above the header are skipped, and a note says so. A line with # is the
// header if it names the columns.
func TestOpen_LinesAboveTheHeader(t *testing.T) {
	const plain = "label,g,h\nu,1,2\nv,3,4\n"
	want := must(openText(t, "a.csv", plain))(t)
	tabs, semicolons := strings.ReplaceAll(plain, ",", "\t"), strings.ReplaceAll(plain, ",", ";")
	for _, c := range []struct {
		file, text, above string
	}{
		{"a.csv", "sep=;\n" + semicolons, ""}, {"a.csv", "\"sep=,\"\r\n" + plain, ""}, {"a.csv", "sep=\t\n" + tabs, ""},
		{"a.txt", "# Program:x \"-T\" \"4\"\n" + tabs, "1 line"}, {"a.txt", "# one\n\n# two, 3\n#label\tg\th\n" + tabs[len("label\tg\th\n"):], "3 lines"},
		{"a.tsv", "# Constructed from biom file\n#OTU ID\ts0\ts1\nlabel\tu\tv\ng\t1\t3\nh\t2\t4\n", "1 line"},
		{"a.csv", "Cohort of 2024,,\n,,\n" + plain, "2 lines"},
		{"a.tsv", "Table 1. Of genes, and \"more\"\n" + tabs, "1 line"}, {"a.csv", "a title\nsource;\n" + semicolons, "2 lines"},
	} {
		d, err := openText(t, c.file, c.text)
		if err != nil || d.Hash != want.Hash || c.above != "" && !strings.Contains(d.Source, c.above+" above its header") || c.above == "" && strings.Contains(d.Source, "above") {
			t.Errorf("%q: %v, %v", c.text, d, err)
		}
	}
}

// True and False are 1 and 0, as in Parquet, in lines and columns.
func TestOpen_TruthValues(t *testing.T) {
	for _, text := range []string{"label,g,h\nu,True,1.5\nv,FALSE,2\nu,,3\n", "name,a,b,c\nlabel,u,v,u\ng,true,false,NA\nh,1.5,2,3\n"} {
		d, err := openText(t, "a.csv", text, "missing=mean")
		if err != nil || d.At(0, 0) != 1 || d.At(1, 0) != 0 || d.At(2, 0) == d.At(2, 0) || d.At(0, 1) != 1.5 {
			t.Errorf("%v, %v", d, err)
		}
	}
}

// A directory is recognised as a Zarr store, and the error names it as one.
func TestOpen_Zarr(t *testing.T) {
	_, err := Open(t.Context(), settings(t, "data="+filepath.Dir(write(t, "zarr.json", []byte("{}")))), "")
	isFault(t, err, "is a Zarr store", "write_h5ad")
}

// A column with a comma in its name is found quoted and unquoted, and what the
// error proposes works.
func TestOpen_CovariatesWithCommas(t *testing.T) {
	const text = "\"Sex, f/m\",\"PC(16:0,18:1)\",class\nf,1,a\nm,2,b\nf,3,a\n"
	_, err := openText(t, "a.csv", text)
	isFault(t, err, `covariates='"Sex, f/m"' makes`, `samples="Sex, f/m" if`)
	for _, covariates := range []string{`"Sex, f/m"`, "Sex, f/m"} {
		d, err := openText(t, "a.csv", text, "covariates="+covariates)
		if err != nil || !slices.Equal(d.Features, []string{"PC(16:0,18:1)", "Sex, f/m=f", "Sex, f/m=m"}) {
			t.Errorf("%s: %v, %v", covariates, d, err)
		}
	}
}
