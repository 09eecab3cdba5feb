package chart

import (
	"regexp"
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
	escape := regexp.MustCompile(`\x1b\[\d+m`)
	for name, p := range terminalCases(t) {
		for _, columns := range []int{60, 80, 132} {
			for _, colour := range []bool{false, true} {
				text := p.Terminal(columns, colour)
				if text == "" || !strings.HasSuffix(text, "\n") {
					t.Errorf("%s: %q has no last line", name, text)
				}
				if !colour && strings.Contains(text, "\x1b") {
					t.Errorf("%s: escape sequences without colour", name)
				}
				for line := range strings.Lines(escape.ReplaceAllString(text, "")) {
					if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > columns {
						t.Errorf("%s: %d columns of %d: %q", name, n, columns, line)
					}
				}
			}
		}
	}
}

func TestWordsOfItsOwnForATerminal(t *testing.T) {
	p := Picture{Text: "for a notebook"}.WithTerminal("step    advance by N steps, one after the other\n")
	if got, want := p.Terminal(32, true), "step    advance by N steps, one\n        after the other\n"; got != want ||
		p.Text != "for a notebook" {
		t.Errorf("%q, want %q", got, want)
	}
}

// A line from the lower left to the upper right.
func TestDots(t *testing.T) {
	d := newDots(3, 2)
	d.join(0, 7, 5, 0, "34")
	d.set(99, 99, "31")
	behind := []rune("┊  ")
	upper, lower := d.row(0, behind), d.row(1, behind)
	if upper != "\x1b[90m┊\x1b[0m\x1b[34m⢀⠎\x1b[0m" || lower != "\x1b[34m⡰⠁\x1b[0m" {
		t.Errorf("%q\n%q", upper, lower)
	}
}
