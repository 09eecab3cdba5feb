package repl

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/runs"
	"fsnetlab/kernel/magic"
	"fsnetlab/tests/kit/testhost"
)

// A script runs the notebook's commands, with and without their prefix, over
// several lines and with questions.
func TestScript_NotebookLanguage(t *testing.T) {
	workIn(t)
	out, errors, err := run(t,
		"#!/usr/bin/env -S fsnet repl", "", `open leukemia\`, `data=planted k=3 batch=8 \`, `epochs=20\`, "stop=never", `// a comment\`,
		"%fsnet step 7", `run \`, "  epoch=9", "selection", "matrix top=4", "curves", "evaluate train",
		"lambda?", "?lambda", "set lambda?", "doctor", "version", "quit", "nonsense")
	if err != nil || errors != "" {
		t.Fatalf("%v, %q", err, errors)
	}
	for _, want := range []string{
		"leukemia idle · step 0 of 60", "step 7 of 60", "step 27 of 60",
		"rank  feature", "Selection matrix P of leukemia", "Training of leukemia", "▁",
		"Evaluation of leukemia on 20 training rows", "✓ everything is fine", "fsnet test",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "lambda (λ): weight of the reconstruction term"); n != 3 {
		t.Errorf("λ was explained %d times of 3:\n%s", n, out)
	}
	if strings.Contains(out, "▕") || strings.Contains(out, prefix) {
		t.Errorf("progress or the prefix is in the output of a script:\n%s", out)
	}
}

// A script ends with its first error, which names the line and sets the exit
// status.
func TestScript_EndsWithFirstError(t *testing.T) {
	workIn(t)
	for _, c := range []struct {
		lines  []string
		status int
		want   []string
	}{
		{[]string{openShort, "stepp 3", "step 5"}, 2, []string{"line 2", "stepp", "did you mean step?"}},
		{[]string{openShort + " replace=true", "status > x.gif"}, 2, []string{"line 2", "x.gif", ".png"}},
		{[]string{openShort + " replace=true", "status > x.png"}, 2, []string{"line 2", "no .png form", ".html or .txt"}},
		{[]string{openShort + " replace=true", "status >"}, 2, []string{"no file is named"}},
		{[]string{openShort + " replace=true", "panel"}, 1, []string{"line 2", "use it in a notebook"}},
		{[]string{"open x data=nan:5 epochs=20", "run"}, 1, []string{"line 2", "not a number"}},
		{[]string{`step \`, "2", "", "bad"}, 2, []string{"line 1"}},
	} {
		out, _, err := run(t, c.lines...)
		if got := errs.ExitStatus(err); got != c.status {
			t.Errorf("%q: exit status %d (%v), want %d", c.lines, got, err, c.status)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %q is not in %q", c.lines, want, err)
			}
		}
		if strings.Contains(out, "step 5 ") {
			t.Errorf("%q went on behind its error: %s", c.lines, out)
		}
	}
}

// > FILE saves a command's picture in the format of the extension.
func TestScript_SavesPictures(t *testing.T) {
	workIn(t)
	out, _, err := run(t, openShort, "run", "curves > loss.png", `matrix top=4 > "the matrix.json"`,
		"curves > p.svg", "selection > s.html", "selection > s.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out, "Training of") || strings.Count(out, "wrote ") != 5 || !strings.Contains(out, "wrote loss.png (") {
		t.Errorf("%s", out)
	}
	picture, err := os.ReadFile("loss.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
	for file, want := range map[string]string{"the matrix.json": "vega", "p.svg": "<svg", "s.html": "<table", "s.txt": "rank  feature"} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q: %v", file, want, err)
		}
	}
}

// TestParseLine_Appending ensures that >> is an error, not a file called "> s.txt".
func TestParseLine_Appending(t *testing.T) {
	for _, text := range []string{"selection >> s.txt", "selection >>s.txt"} {
		if l, err := parseLine(text); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "nothing is appended") {
			t.Errorf("%q: %v, %v", text, l, err)
		}
	}
}

// TestScript_PictureAtHome ensures that "~/" after > is the home directory.
func TestScript_PictureAtHome(t *testing.T) {
	workIn(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	if _, _, err := run(t, openShort, "selection > ~/s.txt"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home, "s.txt")); err != nil {
		t.Error(err)
	}
}

// If a training runs when a script ends, it is paused and kept, and the output
// says so.
func TestScript_PausesWhatRuns(t *testing.T) {
	workIn(t)
	_, errors, err := run(t, openLong, "run wait=false")
	if err != nil || !strings.Contains(errors, "fsnet: leukemia: step ") ||
		!strings.Contains(errors, "kept in .fsnet/runs/leukemia; open leukemia continues it") {
		t.Fatalf("%v, %q", err, errors)
	}
	out, errors, err := run(t, "open leukemia", "status")
	if err != nil || errors != "" || !strings.Contains(out, "continued at step ") {
		t.Errorf("%q, %q, %v", out, errors, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err == nil {
		for _, entry := range left {
			if strings.HasPrefix(entry.Name(), socketPrefix+strconv.Itoa(os.Getpid())+"-") {
				t.Errorf("%s is left", entry.Name())
			}
		}
	}
}

// Ctrl-C pauses the run, keeps it, and ends the script with status 130.
func TestScript_Interrupted(t *testing.T) {
	workIn(t)
	cmd := exec.Command(os.Args[0], "repl")
	cmd.Stdin = strings.NewReader(openLong + "\nrun\nstatus\n")
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		list, err := runs.List(".")
		if err == nil && len(list) == 1 && list[0].Files[0].Step > 0 {
			break // it runs
		}
		if time.Now().After(end) {
			t.Fatalf("no run begins: %v, %s%s", err, out.String(), errors.String())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // its status is looked at
	if status := cmd.ProcessState.ExitCode(); status != 130 || !strings.Contains(errors.String(), "interrupted in line 2") {
		t.Errorf("exit status %d: %s", status, errors.String())
	}
	if strings.Count(out.String(), "leukemia paused") != 1 {
		t.Errorf("the run was not paused, or what stood behind it was run:\n%s", out.String())
	}
}

// A line is one command, with or without its prefix; comments and blank lines
// are none.
func TestParseLine_Forms(t *testing.T) {
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

// The history file is private, doesn't repeat a line, and is cut to its length.
func TestHistory_PrivateAndShort(t *testing.T) {
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
		h.add(strconv.Itoa(i))
	}
	if got := openHistory("").lines; len(got) != historyLines || got[historyLines-1] != strconv.Itoa(2*historyLines) {
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

// Completion adds to what was typed: verbs, keys, values and quoted file names.
// It starts no host.
func TestCompleter_ContinuesTheLine(t *testing.T) {
	workIn(t)
	for _, name := range []string{"my cohort.csv", "plain.csv"} {
		if err := os.WriteFile(name, []byte("a,b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := options(nil, os.Stdout, os.Stderr)
	o.Programs = []magic.Program{{Name: "compare", Flags: []magic.Flag{{Name: "methods", Values: []string{"anova", "mrmr"}}}}}
	r, err := start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.end()
	for text, want := range map[string]string{
		"sel":                        "ection ",
		"%fsnet sel":                 "ection ",
		"qu":                         "it ",
		"open x data=pla":            "in.csv ",
		"open x data=my":             `" cohort.csv" `,
		`open x data="my`:            ` cohort.csv" `,
		"set lamb":                   "da=",
		"run settl":                  "ed ",
		"help tau_en":                "d ",
		"open x protocol=pape":       "",
		"nonsense x":                 "",
		"matrix of=so":               "ft ",
		"compare ALL":                "AML ",
		"compare pla":                "in.csv ",
		"compare ALLAML meth":        "ods=",
		"compare x methods=fsnet,mr": "mr ",
	} {
		rest, shared := completer{r}.Do([]rune(text), len([]rune(text)))
		got := ""
		if len(rest) == 1 {
			got = string(rest[0])
		}
		if want != "" && got != want {
			t.Errorf("%q goes on with %q, want %q", text, got, want)
		}
		for _, added := range rest {
			if l, err := parseLine(text + string(added)); err != nil || l.empty() {
				t.Errorf("%q: %q is no line: %v", text, text+string(added), err)
			}
		}
		if word := text[strings.LastIndexByte(text, ' ')+1:]; len(rest) > 0 && shared != len(word) {
			t.Errorf("%q shares %d characters with its candidates, not %d", text, shared, len(word))
		}
	}
	if matches, _ := r.candidates(t.Context(), []rune("")); !slices.Contains(matches, "open") || !slices.Contains(matches, "quit") {
		t.Errorf("an empty line may become %q", matches)
	}
	if r.link.ID() != 0 {
		t.Error("typing started a host")
	}
}

// If the training process hangs, leaving still works and tells what becomes of
// the sessions.
func TestScript_LeavesHangingProcess(t *testing.T) {
	workIn(t)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, err := start(options(nil, null, null))
	if err != nil {
		t.Fatal(err)
	}
	defer r.end()
	if lines := r.closeAll(t.Context(), false); len(lines) > 0 {
		t.Errorf("without a process it says %q", lines)
	}
	if err := r.execute(t.Context(), openShort); err != nil {
		t.Fatal(err)
	}
	pid := r.link.ID()
	if err := testhost.Halt(pid); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT) //nolint:errcheck // it goes on already
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if lines := r.closeAll(ctx, false); len(lines) != 1 ||
		!strings.Contains(lines[0], "does not answer") || !strings.Contains(lines[0], "last checkpoints") {
		t.Errorf("it says %q", lines)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if lines := r.closeAll(t.Context(), false); len(lines) != 1 || !strings.Contains(lines[0], "kept in") {
		t.Errorf("once it answers it says %q", lines)
	}
}

// TestScript_Overwrite ensures that > and report never replace a file that the session reads or that
// somebody else wrote, and that a script can run twice.
func TestScript_Overwrite(t *testing.T) {
	workIn(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const table = "mine\n"
	for range 2 {
		if _, _, err := run(t, openShort+" replace=true", "selection > genes.txt", "selection > genes.html", "curves > c.png", "report test=false"); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile("x.txt", []byte(table), 0o600), os.Symlink("x.txt", "link.txt"), os.Mkdir("folder.txt", 0o700)); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"selection > x.txt": "name another file", "selection > ./x.txt": "name another file", "selection > " + dir + "/x.txt": "name another file",
		"selection > link.txt": "name another file", "report output=x.txt": "name another file", "report output=genes.html": "name another file",
		"status > genes.txt": "name another file", "curves > folder.txt": "is a directory",
	} {
		_, _, err := run(t, openShort+" replace=true", line)
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if text, err := os.ReadFile("x.txt"); err != nil || string(text) != table {
		t.Errorf("x.txt holds %q, %v", text, err)
	}
}
