package host_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/sessiontest/fake"
)

// logged reads a file of metrics; every line must be whole.
func logged(t *testing.T, path string) (lines []map[string]any) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatalf("%q: %v", scanner.Text(), err)
		}
		for _, key := range []string{"time", "session", "kind", "step", "epoch"} {
			if line[key] == nil {
				t.Errorf("%q has no %s", scanner.Text(), key)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// replayed is what a reader knows of a session who takes back what came after
// the step of an open or a rewind.
func replayed(lines []map[string]any, name string) map[float64]map[string]any {
	known := map[float64]map[string]any{}
	for _, line := range lines {
		if line["session"] != name {
			continue
		}
		step := line["step"].(float64)
		switch line["kind"] {
		case "open", "rewind":
			for at := range known {
				if at > step {
					delete(known, at)
				}
			}
		case "metrics":
			known[step] = line
		}
	}
	return known
}

// What a session measures is in the file, epoch by epoch, with its events in
// order. The figures are those of the history.
func TestMetricsLog_HasHistory(t *testing.T) {
	h := newHost(t, fake.Open)
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	request := session.OpenRequest{Session: "s", Directory: dir,
		Config: session.Config{Data: "planted", K: 3, Epochs: 1000, Stop: "never", Log: "metrics.jsonl"}}
	per := must(session.VerbOpen.Call(t.Context(), h, request))(t).StepsPerEpoch
	step := func(name string, n int) {
		t.Helper()
		must(session.On(h, name).Step(t.Context(), n))(t)
	}
	step("s", 20*per+1)
	must(session.On(h, "s").Set(t.Context(), session.Config{Lambda: new(0.5)}))(t)
	step("s", 10*per)
	for end := time.Now().Add(time.Minute); len(logged(t, path)) < 30 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	must(session.On(h, "s").Rewind(t.Context(), 25*per))(t)
	step("s", 15*per)
	must(session.VerbFork.Call(t.Context(), h, session.ForkRequest{Session: "s", As: "f"}))(t)
	step("f", 5*per)
	history := must(session.On(h, "s").History(t.Context(), session.HistoryRequest{Points: 10_000}))(t)
	// Who attaches without a log takes the one there is; another one is refused.
	request.Config.Log = ""
	must(session.VerbOpen.Call(t.Context(), h, request))(t)
	request.Config.Log = "other.jsonl"
	if _, err := session.VerbOpen.Call(t.Context(), h, request); err == nil || !strings.Contains(err.Error(), "log is metrics.jsonl, not other.jsonl") {
		t.Errorf("another log: %v", err)
	}
	for _, name := range []string{"s", "f"} {
		must(struct{}{}, session.On(h, name).Close(t.Context()))(t)
	}

	lines := logged(t, path)
	kinds := map[any]string{}
	for _, line := range lines {
		if line["kind"] != "metrics" {
			kinds[line["session"]] += line["kind"].(string) + " "
		}
	}
	if kinds["s"] != "open set rewind " || kinds["f"] != "open " {
		t.Errorf("the events are %q", kinds)
	}
	if c := lines[0]["config"].(map[string]any); c["k"] != 3.0 || c["log"] != "metrics.jsonl" || lines[0]["steps_per_epoch"] != float64(per) {
		t.Errorf("it begins with %v", lines[0])
	}
	known := replayed(lines, "s")
	if len(known) < 40 {
		t.Errorf("%d epochs are known, want 40", len(known))
	}
	for name, curve := range history.Curves {
		for i, at := range curve.Steps {
			if at%per > 0 {
				continue // a step of its own
			}
			if got := known[float64(at)][name]; got != curve.Values[i] {
				t.Errorf("%s after step %d is %v in the file, %v in the history", name, at, got, curve.Values[i])
			}
		}
	}
	forked := replayed(lines, "f")
	for at := range forked {
		if at <= float64(40*per) {
			t.Errorf("the fork logs step %g, which was its parent's", at)
		}
	}
	if len(forked) != 5 {
		t.Errorf("%d epochs of the fork are known, want 5", len(forked))
	}
}

// A log that can't be opened is rejected. If the disk becomes full, the status
// warns and the training goes on.
func TestMetricsLog_CannotWrite(t *testing.T) {
	h := newHost(t, fake.Open)
	dir := t.TempDir()
	request := session.OpenRequest{Session: "s", Directory: dir,
		Config: session.Config{Data: "planted", K: 3, Epochs: 100, Log: "none/metrics.jsonl"}}
	if _, err := session.VerbOpen.Call(t.Context(), h, request); !errs.Is(err, errs.Request) ||
		!strings.Contains(err.Error(), filepath.Join(dir, "none", "metrics.jsonl")+" cannot be written") {
		t.Errorf("a directory that is not there: %v", err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	request.Config.Log = pipe
	if _, err := session.VerbOpen.Call(t.Context(), h, request); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "is a pipe") {
		t.Errorf("a pipe that nobody reads: %v", err)
	}
	if list, err := session.VerbSessions.Call(t.Context(), h, session.None{}); err != nil || len(list) != 0 {
		t.Errorf("open are %v, %v", list, err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("NOT TESTED: there is no /dev/full")
	}
	request.Config.Log = "/dev/full"
	must(session.VerbOpen.Call(t.Context(), h, request))(t)
	status, err := session.On(h, "s").Step(t.Context(), 10)
	if err != nil || status.Step != 10 {
		t.Fatalf("a full disk stops the training: %v", err)
	}
	if !strings.Contains(status.Warning, "metrics are not logged to /dev/full") || strings.Contains(status.Warning, "\n") {
		t.Errorf("the warning is %q", status.Warning)
	}
}

// TestMetricsLog_OtherFile ensures that a log is never appended to a file of
// another kind: the session's own table, under any of its names, or somebody's
// notes.
func TestMetricsLog_OtherFile(t *testing.T) {
	h := newHost(t, fake.Open)
	dir := t.TempDir()
	table := filepath.Join(dir, "genes.csv")
	content := `{"kind":"metrics","session":"s","step":1}` + "\n" // even if it looks like a log
	for _, err := range []error{
		os.WriteFile(table, []byte(content), 0o600), os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine\n"), 0o600),
		os.Symlink(table, filepath.Join(dir, "link")), os.Link(table, filepath.Join(dir, "hard")), os.Mkdir(filepath.Join(dir, "folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", dir)
	for file, want := range map[string]string{
		"genes.csv": "is an input file", "./genes.csv": "is an input file", table: "is an input file", "link": "is an input file",
		"hard": "is an input file", "~/genes.csv": "is an input file", "notes.txt": "is there already", "folder": "is a directory",
	} {
		_, err := session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "s", Directory: dir,
			Config: session.Config{Data: "planted", Must: []string{"genes.csv"}, K: 3, Epochs: 100, Log: file}})
		if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", file, err, want)
		}
	}
	if now, err := os.ReadFile(table); err != nil || string(now) != content {
		t.Errorf("the table holds %q, %v", now, err)
	}
}

// TestMetricsLog_Follow ensures that the log is at its path: removed, renamed
// or saved by an editor, it is opened again, begins with the settings, and the
// status says so; a torn last line is ended first, and a file of another kind
// that took its place is left alone.
func TestMetricsLog_Follow(t *testing.T) {
	h := newHost(t, fake.Open)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	torn := `{"kind":"metrics","session":"old","step":10,"epoch":1,"time":"t"}` + "\n" + `{"kind":"metrics","ses`
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	must(session.VerbOpen.Call(t.Context(), h, session.OpenRequest{Session: "s", Directory: dir,
		Config: session.Config{Data: "planted", K: 3, Epochs: 1000, Stop: "never", Log: "a.jsonl"}}))(t)
	step := func() session.Status { return must(session.On(h, "s").Step(t.Context(), 60))(t) }
	if warning := step().Warning; warning != "" {
		t.Errorf("it warns: %s", warning)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), torn+"\n{") {
		t.Errorf("after a torn line it goes on with %.200q, %v", text, err)
	}
	for name, change := range map[string]func() error{
		"removed":   func() error { return os.Remove(path) },
		"renamed":   func() error { return os.Rename(path, path+".1") },
		"replaced":  func() error { return errors.Join(os.WriteFile(path+"~", nil, 0o600), os.Rename(path+"~", path)) },
		"shortened": func() error { return os.Truncate(path, 0) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if warning := step().Warning; !strings.Contains(warning, "opened again") || !strings.Contains(warning, path) {
			t.Errorf("%s: the status says %q", name, warning)
		}
		if lines := logged(t, path); len(lines) < 2 || lines[0]["kind"] != "open" || lines[len(lines)-1]["kind"] != "metrics" {
			t.Errorf("%s: it holds %v", name, lines)
		}
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("mine\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if warning := step().Warning; !strings.Contains(warning, "is there already") {
		t.Errorf("with another file in its place the status says %q", warning)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine\n" {
		t.Errorf("the other file holds %q, %v", text, err)
	}
}
