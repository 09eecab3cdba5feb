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

func TestWrapLosesNoWord(t *testing.T) {
	for _, text := range []string{
		"", "\n", "short\n", strings.Repeat("word ", 40) + "\n", "one · " + strings.Repeat("fact of words · ", 20) + "last\nsecond line\n",
		"  open SESSION data=…     " + strings.Repeat("what it does ", 20), "τ · " + strings.Repeat("a very long fact ", 10) + "· end\n", strings.Repeat("x", 200),
	} {
		for _, columns := range []int{24, 60} {
			wrapped := Wrap(text, columns)
			if got, want := strings.Fields(wrapped), strings.Fields(text); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%q became %q", text, wrapped)
			}
		}
	}
	if got, want := Wrap("  step [N]    advance by N steps, one after the other", 40), "  step [N]    advance by N steps, one\n              after the other"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if text := "wrote \x1b]8;;file:///a/very/long/way\x1b\\c.png\x1b]8;;\x1b\\ and \x1b[31mmore\x1b[0m"; Wrap(text, 24) != text {
		t.Errorf("%q was broken", text)
	}
	if got, want := Wrap("leukemia · step 100 of 1500 · epoch 20\n", 30), "leukemia · step 100 of 1500 ·\n  epoch 20\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWordsOfItsOwnForATerminal(t *testing.T) {
	p := Picture{Text: "for a notebook"}.WithTerminal("step    advance by N steps, one after the other\n")
	if got, want := p.Terminal(32, true), "step    advance by N steps, one\n        after the other\n"; got != want || p.Text != "for a notebook" {
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
