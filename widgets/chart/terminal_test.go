package chart

import (
	"strings"
	"testing"
	"unicode/utf8"
)

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
		p, err := Convergence(h)
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

func TestEveryPictureFitsATerminal(t *testing.T) {
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

func TestWordsOfItsOwnForATerminal(t *testing.T) {
	p := Picture{Text: "for a notebook"}.WithTerminal("step    advance by N steps, one after the other\n")
	if got, want := p.Terminal(32), "step    advance by N steps, one\n        after the other\n"; got != want ||
		p.Text != "for a notebook" {
		t.Errorf("%q, want %q", got, want)
	}
}
