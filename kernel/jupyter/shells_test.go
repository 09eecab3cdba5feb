package jupyter

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"fsnetlab/fsnet/errs"
)

func message(kind string) Message { return NewMessage("s", kind, nil) }

// Each shell has its own queue. Deleting one returns the messages that wait in
// it.
func TestShells_SeparateQueues(t *testing.T) {
	set := NewShells()
	var started []string
	a, err := set.Create(func(s *Shell) { started = append(started, s.ID) })
	if err != nil || len(started) != 1 || started[0] != a.ID {
		t.Fatalf("%v, started %v", err, started)
	}
	set.Main.Put(message("m"))
	a.Put(message("a"))
	a.Put(message("b"))
	if m, ok := a.Next(); !ok || m.Header.Type != "a" {
		t.Errorf("next is %s", m.Header.Type)
	}
	raw, _ := json.Marshal(a.ID)
	if waiting, err := set.Delete(string(raw)); err != nil || len(waiting) != 1 || waiting[0].Header.Type != "b" {
		t.Errorf("waiting are %v, %v", waiting, err)
	}
	if _, ok := a.Next(); ok || a.Put(message("c")) {
		t.Error("a deleted shell goes on")
	}
	if m, ok := set.Main.Next(); !ok || m.Header.Type != "m" {
		t.Errorf("next is %s", m.Header.Type)
	}
	set.Close()
	if _, err := set.Create(func(*Shell) { t.Error("started") }); !errs.Is(err, errs.Unavailable) {
		t.Errorf("made after the end: %v", err)
	}
	if _, ok := set.Main.Next(); ok {
		t.Error("the main shell goes on")
	}
}

// FuzzFind reads what a header may have as its subshell_id: it is a shell, or an error of one line, and nothing is made or deleted.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"", "null", `"x"`, "3", "[]", "{}", `"\ud800"`, "\"\xff\"", `"a\nb"`, `"` + strings.Repeat("é", 1000) + `"`, " null ", "nul",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		set := NewShells()
		made, err := set.Create(func(*Shell) {})
		if err != nil {
			t.Fatal(err)
		}
		shell, err := set.Find(raw)
		switch {
		case err == nil && shell != set.Main && shell != made:
			t.Fatalf("%q is a shell that was not made", raw)
		case err != nil:
			if text := err.Error(); strings.ContainsAny(text, "\n\r") || utf8.RuneCountInString(text) > 250 || !utf8.ValidString(text) {
				t.Fatalf("%q is answered with %q", raw, text)
			}
			if _, err := set.Delete(raw); err == nil {
				t.Fatalf("%q is deleted", raw)
			}
		}
		if ids := set.IDs(); len(ids) != 1 || ids[0] != made.ID {
			t.Fatalf("%q left %v", raw, ids)
		}
	})
}
