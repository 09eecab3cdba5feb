package repl

import (
	"bufio"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/kernel/magic"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"  # step":                  "",
		"// step":                   "",
		"step 5":                    "step [5]",
		"%fsnet step 5":             "step [5]",
		"%fsnet":                    "help []",
		"?":                         "help []",
		"step \\\n 5":               "step [5]",
		"curves > a.png":            "curves [] to a.png",
		`curves > "a b.png"`:        "curves [] to a b.png",
		`feature "x > y"`:           "feature [x > y]",
		`feature 'x > y' > z.png`:   "feature [x > y] to z.png",
		"feature a>b":               "feature [a>b]",
		"set lambda?":               "? set lambda",
		"? lambda":                  "? lambda",
		"quit":                      "leave",
		" exit ":                    "leave",
		"%fsnetx":                   "%fsnetx []",
		`open x data="my data.csv"`: "open [x] data=my data.csv",
	} {
		l, err := parseLine(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := describe(l); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"curves >", `step "`, "step 5\nfmt.Println(1)"} {
		if _, err := parseLine(text); err == nil || strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A line that goes on means in a terminal what it means in a notebook.
func TestLinesGoOnAsInANotebook(t *testing.T) {
	for _, lines := range [][]string{
		{`open a\`, "k=3"}, {`open a \`, "k=3"}, {`open a\`, "  k=3\\\t", "seed=1"}, {`open "my\`, `cohort"`}, {`step \`, "5"},
	} {
		want, err := magic.Split(prefix + " " + strings.Join(lines, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		in, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		in.WriteString(strings.Join(lines, "\n") + "\n")
		in.Seek(0, io.SeekStart)
		e := &editor{history: &history{}, in: bufio.NewReader(in), out: io.Discard, closed: make(chan struct{})}
		text, err := e.read("› ")
		if err != nil || strings.Contains(text, "\n") {
			t.Errorf("%q is read as %q, %v", lines, text, err)
		}
		if l, err := parseLine(text); err != nil || len(want) != 1 || !reflect.DeepEqual(l.commands, want[0].Commands) {
			t.Errorf("%q is %+v in a terminal, %+v in a notebook: %v", lines, l.commands, want, err)
		}
	}
	if continues(`# a comment \`) || continues(`  // a comment \`) {
		t.Error("a comment goes on")
	}
}

func describe(l line) string {
	switch {
	case l.leave:
		return "leave"
	case l.question != "":
		return "? " + l.question
	}
	var parts []string
	for _, c := range l.commands {
		text := c.Verb + " [" + strings.Join(c.Words, " ") + "]"
		for _, o := range c.Options {
			text += " " + o.Key + "=" + o.Value
		}
		parts = append(parts, text)
	}
	if l.file != "" {
		parts = append(parts, "to "+l.file)
	}
	return strings.Join(parts, " ")
}

func FuzzLine(f *testing.F) {
	for _, text := range []string{"step 5", `a "b > c" > d`, "?", "x?", "\\\n", "%fsnet", "> >", "\x00", `'`, "curves > a.png"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseLine(text)
		if err == nil && l.leave && (len(l.commands) > 0 || l.file != "") {
			t.Errorf("%q leaves and does something", text)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("%q: an error without words", text)
		}
	})
}

func TestHistoryIsPrivateAndShort(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	h := openHistory("")
	for _, text := range []string{"one", "one", " ", "two", "one \n two"} {
		h.add(text)
	}
	path := state + "/fsnet/" + historyName
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if dir, err := os.Stat(state + "/fsnet"); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", dir, err)
	}
	if got := strings.Join(openHistory("").lines, ","); got != "one,two,one   two" {
		t.Errorf("%q", got)
	}
	h.add(strings.Repeat("x", 2_000_000)) // a line that somebody pasted does not hide those behind it
	h.add("three")
	if got := openHistory("").lines; got[len(got)-1] != "three" {
		t.Errorf("the last line is %.20q", got[len(got)-1])
	}
	for i := range 2*historyLines + 1 {
		h.add(itoa(i))
	}
	if got := openHistory("").lines; len(got) != historyLines || got[historyLines-1] != itoa(2*historyLines) {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != historyLines {
		t.Errorf("the file has %d lines: %v", strings.Count(string(text), "\n"), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("cut back, it is %v: %v", info.Mode(), err)
	}
	if h := openHistory("/proc/nowhere/history"); !h.add("x") {
		t.Error("a history that cannot be written is not kept for the time being")
	}
}
