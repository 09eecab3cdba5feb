package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// waiting is where a command writes its progress: the first line waits until it is let go.
type waiting struct{ reached, on chan struct{} }

func (w *waiting) Write(p []byte) (int, error) {
	select {
	case <-w.reached:
	default:
		close(w.reached)
		<-w.on
	}
	return len(p), nil
}

// If two comparisons write to one file, the second is rejected and told who the
// first is, and the first loses nothing, even if the file is named in another
// way.
func TestCompare_LocksItsFile(t *testing.T) {
	inCohort(t)
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	root := newRootCommand()
	root.SetArgs(comparing("--output", file, "--quiet=false"))
	root.SetOut(io.Discard)
	messages := &waiting{reached: make(chan struct{}), on: make(chan struct{})}
	root.SetErr(messages)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(t.Context()) }()
	select {
	case <-messages.reached:
	case err := <-ended:
		t.Fatalf("it ended before it reported anything: %v", err)
	}
	for _, name := range []string{file, link} {
		printed, said, status := command(t, comparing("--output", name, "--methods=random")...)
		want := fmt.Sprintf("the output %s is in use by process %d since ", name, os.Getpid())
		if status != 1 || printed != "" || !strings.Contains(said, want) ||
			!strings.Contains(said, " - wait until it is done, or name another place\n") {
			t.Errorf("%s: status %d, %q, %q", name, status, said, printed)
		}
	}
	close(messages.on)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || bytes.Count(text, []byte("\n")) != 8 {
		t.Errorf("%v: the file holds\n%s", err, text)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("%v: beside it there are %v", err, left)
	}
	// Afterwards it is anybody's, and a link stays one.
	if _, said, status := command(t, comparing("--output", link, "--methods=fsnet,anova,mrmr,svm,random")...); status != 0 {
		t.Error(said)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if text, err := os.ReadFile(file); err != nil || bytes.Count(text, []byte("\n")) != 10 {
		t.Errorf("%v: %s", err, text)
	}
}

// The lock of a killed process doesn't count.
func TestCompare_LockOfDeadProcess(t *testing.T) {
	inCohort(t)
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	beside := filepath.Join(filepath.Dir(file), ".rows.jsonl.lock")
	if err := os.WriteFile(beside, []byte(`{"process": 1, "host": "elsewhere"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said, status := command(t, comparing("--output", file, "--methods=anova")...); status != 0 {
		t.Error(said)
	}
	if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock stays: %v", err)
	}
}

// listener compares what is said to be done with what the file has at that moment.
type listener struct {
	*testing.T
	path string
	said int
}

func (l *listener) Write(line []byte) (int, error) {
	var p progressLine
	text, err := os.ReadFile(l.path)
	if err != nil || json.Unmarshal(line, &p) != nil {
		l.Fatalf("%v, %s", err, line)
	}
	if kept := bytes.Count(text, []byte("\n")); kept != p.Done {
		l.Errorf("%d rows are said to be done, and %d are in the file", p.Done, kept)
	}
	l.said++
	return len(line), nil
}

// The reader of the progress may close it at any moment, and the system then
// ends the writer. So a finished row is kept before it is printed.
func TestCompare_KeepsRowBeforeTelling(t *testing.T) {
	inCohort(t)
	root := newRootCommand()
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	root.SetArgs(comparing("--output", file, "--quiet=false", "--progress=json"))
	root.SetOut(io.Discard)
	l := &listener{T: t, path: file}
	root.SetErr(l)
	if err := root.ExecuteContext(t.Context()); err != nil || l.said != 16 {
		t.Errorf("said %d times, %v", l.said, err)
	}
}
