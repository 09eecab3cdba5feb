package chart

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"fsnetlab/tests/kit/charttest"
	"fsnetlab/widgets/chart/words"
)

// A bundle has the forms that the picture has, the specification as an object,
// and the size as metadata.
func TestPicture_Bundle(t *testing.T) {
	p, err := Matrix(sampleMatrix(4, 8, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	bundle := p.Bundle()
	if len(bundle) != 3 || bundle[MIMEText] != p.Text {
		t.Errorf("the bundle of a heat map has %d forms, want Vega-Lite, PNG and text", len(bundle))
	}
	b, err := json.Marshal(bundle)
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Spec map[string]any `json:"application/vnd.vegalite.v5+json"`
		PNG  string         `json:"image/png"`
	}
	charttest.DecodeJSON(t, b, &sent)
	if sent.Spec["vconcat"] == nil {
		t.Error("the specification is not sent as an object")
	}
	raw, err := base64.StdEncoding.DecodeString(sent.PNG)
	if err != nil {
		t.Fatal(err)
	}
	size := charttest.Decode(t, raw).Bounds()
	shown := p.Metadata()[MIMEPNG].(map[string]any)
	if shown["width"] != size.Dx()/2 || shown["height"] != size.Dy()/2 || shown["alt"] != p.Alt {
		t.Errorf("the metadata are %v for %d × %d pixels", shown, size.Dx(), size.Dy())
	}

	table := Selection(sampleSelection(3))
	if bundle := table.Bundle(); len(bundle) != 2 || bundle[MIMEHTML] != words.Untypeset(table.HTML) {
		t.Errorf("the bundle of a table has %d forms, want HTML and text", len(bundle))
	}
	if meta := table.Metadata(); len(meta) != 0 {
		t.Errorf("a table has metadata %v", meta)
	}
	if bundle := (Picture{}).Bundle(); len(bundle) != 0 {
		t.Errorf("an empty picture has forms: %v", bundle)
	}
}

// A file's extension selects the form. A table has no picture.
func TestPicture_Extensions(t *testing.T) {
	p, err := Matrix(sampleMatrix(4, 8, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	if png, err := p.As("m.PNG"); err != nil || !bytes.Equal(png, p.PNG()) {
		t.Errorf("%v: %d bytes", err, len(png))
	}
	if _, err := Selection(sampleSelection(3)).As("m.png"); err == nil || !strings.Contains(err.Error(), "choose .html or .txt") {
		t.Errorf("of a table: %v", err)
	}
	if _, err := p.As("m.gif"); err == nil || !strings.Contains(err.Error(), ".svg") {
		t.Errorf("%v", err)
	}
}

func terminalCases(t *testing.T) map[string]Picture {
	t.Helper()
	cases := map[string]Picture{
		"selection": Selection(sampleSelection(10)), "evaluation": Evaluation(sampleEvaluation()), "status": Status(sampleStatus()),
	}
	for name, h := range histories() {
		p, err := Curves(h)
		if err != nil {
			t.Fatal(err)
		}
		cases["curves "+name] = p
	}
	for name, h := range convergences() {
		p, err := Convergence(h, new(Palette))
		if err != nil {
			t.Fatal(err)
		}
		cases["convergence "+name] = p
	}
	for name, m := range matrices() {
		p, err := Matrix(m)
		if err != nil {
			t.Fatal(err)
		}
		cases["matrix "+name] = p
	}
	return cases
}

// Every picture as text fits the columns of its terminal.
func TestPicture_FitsATerminal(t *testing.T) {
	for name, p := range terminalCases(t) {
		for _, columns := range []int{60, 80, 132} {
			text := p.Terminal(columns)
			if text == "" || !strings.HasSuffix(text, "\n") || strings.Contains(text, "\x1b") {
				t.Errorf("%s: %q has no last line, or escape sequences", name, text)
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > columns {
					t.Errorf("%s: %d columns of %d: %q", name, n, columns, line)
				}
			}
		}
	}
}

// A picture may have another text for a terminal; it is wrapped there.
func TestPicture_TerminalText(t *testing.T) {
	p := Picture{Text: "for a notebook"}.WithTerminal("step    advance by N steps, one after the other\n")
	if got, want := p.Terminal(32), "step    advance by N steps, one\n        after the other\n"; got != want ||
		p.Text != "for a notebook" {
		t.Errorf("%q, want %q", got, want)
	}
}
