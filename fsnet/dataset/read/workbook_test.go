package read

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"fsnetlab/tests/kit/fixtures"
)

// book returns a workbook with these parts, and the usual ones for those that a
// test leaves out.
func book(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData><row><c t="str"><v>g</v></c><c t="str"><v>label</v></c></row><row><c><v>1</v></c><c t="str"><v>u</v></c></row></sheetData></worksheet>`,
	}
	for name, content := range parts {
		all[name] = content
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range all {
		f := must(w.Create(name))(t)
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readWorkbook returns all fields, joined.
func readWorkbook(content []byte) (string, error) {
	b, err := openWorkbook("a.xlsx", bytes.NewReader(content), int64(len(content)), "")
	if err != nil {
		return "", err
	}
	defer b.Close()
	var lines []string
	for {
		fields, err := b.Read()
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n"), nil
		}
		if err != nil {
			return "", err
		}
		lines = append(lines, strings.Join(fields, "|"))
	}
}

func sheet(rows string) map[string]string {
	return map[string]string{"xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"}
}

// Cells of each type are read as a spreadsheet shows them, dates included.
func TestWorkbook_Cells(t *testing.T) {
	styles := `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day&quot; 0.0"/><numFmt numFmtId="165" formatCode="[$-409]d\-mmm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
	for name, test := range map[string]struct {
		parts map[string]string
		want  string
	}{
		"plain":   {nil, "g|label\n1|u"},
		"phrases": {sheet(`<row><c t="inlineStr"><is><r><t>a</t></r><r><t> b</t></r><rPh><t>loud</t></rPh></is></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><f>A1</f><v>x</v></c></row>`), "a b|True||x"},
		"gaps":    {sheet(`<row r="3"><c r="C3"><v>1</v></c><c r="E3"><v>2</v></c></row><row r="7"/><row r="8"><c r="D8"><v>3</v></c></row>`), "1||2\n|3|"},
		"index":   {sheet(`<row r="1"><c r="B1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><v>3</v></c></row>`), "|1\n2|3"},
		"further": {sheet(`<row><c><v>1</v></c></row><row><c><v>2</v></c><c><v>3</v></c></row>`), "1\n2|3"},
		"dates": {map[string]string{"xl/styles.xml": styles, "xl/worksheets/sheet1.xml": `<row><c s="1"><v>45537</v></c><c s="2"><v>45537</v></c><c s="3"><v>45537.5</v></c><c s="0"><v>1e-3</v></c></row>`},
			"2024-09-02|45537|2024-09-02 12:00:00|0.001"},
		"dates of 1904": {map[string]string{"xl/styles.xml": styles, "xl/worksheets/sheet1.xml": `<row><c s="1"><v>0</v></c></row>`,
			"xl/workbook.xml": `<workbook><workbookPr date1904="1"/><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>`}, "1904-01-01"},
		"title": {sheet(`<row r="1"><c r="A1"><v>9</v></c></row><row r="3"><c r="B3"><v>1</v></c><c r="C3"><v>2</v></c><c r="D3"><v>3</v></c></row><row r="4"><c r="B4"><v>4</v></c></row>`), "1|2|3\n4||"},
		"empty": {sheet(""), ""},
	} {
		if got, err := readWorkbook(book(t, test.parts)); err != nil || got != test.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A damaged workbook is rejected with the reason.
func TestWorkbook_Rejects(t *testing.T) {
	whole := book(t, nil)
	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"not a zip":         {[]byte("PK\x03\x04 and no more"), "damaged or not an Excel workbook"},
		"cut off":           {whole[:len(whole)-30], "damaged or not an Excel workbook"},
		"no sheet":          {book(t, map[string]string{"xl/workbook.xml": "<workbook/>"}), "holds no sheet"},
		"no part":           {book(t, map[string]string{"xl/_rels/workbook.xml.rels": `<R><Relationship Id="rId1" Type="x/worksheet" Target="none.xml"/></R>`}), `it lacks its sheet "One"`},
		"not XML":           {book(t, map[string]string{"xl/worksheets/sheet1.xml": "<row><c"}), "damaged"},
		"an open row":       {book(t, sheet(`<row><c>`)), "damaged"},
		"a text not shared": {book(t, sheet(`<row><c t="s" r="A1"><v>7</v></c></row>`)), `cell A1 refers to text "7" of 0`},
		"an error":          {book(t, sheet(`<row><c t="e" r="A1"><v>#REF!</v></c></row>`)), "cell A1 of sheet \"One\" holds the error #REF!"},
		"no value yet":      {book(t, sheet(`<row><c t="str"><f>A1</f><v></v></c><c r="B1"><f>1/2</f><v/></c></row>`)), `cell B1 of sheet "One" holds a formula without a computed value`},
		"none at all":       {book(t, sheet(`<row><c r="B1"><f>1/2</f></c></row>`)), "cell B1 of sheet \"One\" holds a formula"},
		"backwards":         {book(t, sheet(`<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`)), `cell "A1"`},
		"far right":         {book(t, sheet(`<row><c r="ZZZZ1"><v>1</v></c></row>`)), `cell "ZZZZ1"`},
		"far down":          {book(t, sheet(`<row r="99999999"><c><v>1</v></c></row>`)), "beyond Excel's last"},
		"too wide":          {book(t, sheet("<row>"+strings.Repeat("<c/>", maxColumns+1)+"</row>")), "more cells than Excel allows"},
	} {
		_, err := readWorkbook(test.content)
		isLine(t, name, err, test.says)
		isLine(t, name, err, "a.xlsx")
	}
}

func FuzzWorkbook(f *testing.F) {
	for _, content := range fixtures.All(f, "../testdata/tables/*.xlsx") {
		f.Add(content, "", false)
	}
	f.Add([]byte(nil), `<row r="1"><c r="B1" t="inlineStr"><is><t>g</t></is></c></row><row><c s="1"><v>2</v></c></row>`, true)
	f.Add([]byte(nil), `<row><c><v>9</v></c></row><row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row><row><c r="B3"><v>4</v></c></row>`, true)
	f.Fuzz(func(t *testing.T, content []byte, xml string, whole bool) {
		if whole { // the zip is right, the sheet is not
			content = book(t, sheet(xml))
		}
		if _, err := readWorkbook(content); err != nil {
			isLine(t, "fuzz", err, "")
		}
	})
}
