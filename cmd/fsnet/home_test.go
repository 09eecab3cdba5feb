package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCommands_HomeDirectory ensures that "~/" begins the name of every file
// that a command reads or writes, where no shell has replaced it.
func TestCommands_HomeDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.csv": smallTable(), "must.txt": "g1\n", "never.txt": "g2\n", "cost.txt": "g3\t2\n", "symbols.tsv": "g1\tONE\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	const model = "~/m.safetensors"
	for _, args := range [][]string{
		{"fit", "~/a.csv", "--k", "2", "--backend", "go", "--epochs", "4", "--quiet", "--must=~/must.txt", "--never=~/never.txt", "--cost=~/cost.txt",
			"--symbols=~/symbols.tsv", "--save=" + model, "--output", "~/fit.json"},
		{"predict", model, "~/a.csv", "--csv"},
		{"compare", "~/a.csv", "--k", "2", "--methods", "anova", "--splits", "2", "--quiet", "--output=~/rows.jsonl", "--report=~/rows.html"},
	} {
		if _, messages, status := command(t, args...); status != 0 {
			t.Errorf("%q: %s", args, messages)
		}
	}
	for _, name := range []string{"m.safetensors", "fit.json", "rows.jsonl", "rows.html"} {
		if _, err := os.Stat(filepath.Join(home, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat("~"); err == nil {
		t.Error("they made a directory called ~")
	}
}
