package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fsnetlab/tests/kit/otheruser"
)

// asOther runs fsnet as a user whom file modes apply to.
func asOther(t *testing.T, dir string, args ...string) (out, messages string, status int) {
	t.Helper()
	cmd := otheruser.Unprivileged(t, args...)
	cmd.Env = append(cmd.Env, asProgram+"=1")
	if dir != "" {
		cmd.Dir = dir
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// unreadable makes a table and a directory that nobody else, and where that is not root not even this user, may read.
func unreadable(t *testing.T) (dir, file, inside string) {
	t.Helper()
	dir = otheruser.Directory(t)
	file = filepath.Join(dir, "closed.csv")
	closed := filepath.Join(dir, "closed")
	inside = filepath.Join(closed, "cohort.csv")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, inside} {
		if err := os.WriteFile(path, []byte(smallTable()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := filepath.Join(dir, "open.csv")
	if err := os.WriteFile(open, []byte(smallTable()), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{file: 0, closed: 0, open: 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) }) //nolint:errcheck // so that it can be removed
	return dir, file, inside
}

// A file that may not be read is a wrong request, in one line with its path and the reason, on every surface.
func TestFilesThatMayNotBeRead(t *testing.T) {
	dir, file, inside := unreadable(t)
	for _, path := range []string{file, inside} {
		for _, args := range [][]string{
			{"fit", path, "--label", "diagnosis", "--samples=sample", "--k", "3", "--epochs", "2", "--backend=go"},
			{"compare", path, "--label", "diagnosis", "--methods", "anova", "--splits", "1"},
			{"repl", "-c", "open leukemia data=" + path + " label=diagnosis backend=go"},
		} {
			out, messages, status := asOther(t, "", args...)
			last := messages[strings.LastIndexByte(strings.TrimRight(messages, "\n"), '\n')+1:]
			if status != 2 || strings.Contains(out, "accuracy") || !strings.Contains(last, path) || !strings.Contains(last, "permission denied") ||
				strings.Contains(messages, "goroutine") {
				t.Errorf("%v: status %d, %q, %q", args, status, out, messages)
			}
		}
	}
	// The same way in, where it is open.
	out, messages, status := asOther(t, "", "fit", filepath.Join(dir, "open.csv"), "--label", "diagnosis", "--samples=sample", "--k", "3",
		"--epochs", "2", "--backend=go", "--json")
	if status != 0 || !strings.Contains(out, `"selected"`) {
		t.Errorf("what may be read: status %d, %q, %q", status, out, messages)
	}
}

// What a session keeps is closed to others, also in a directory that everybody may read; where the directory may not be written to, it is
// kept in the user's own.
func TestRunsAreClosedToOthers(t *testing.T) {
	dir := otheruser.Directory(t)
	path := filepath.Join(dir, "cohort.csv")
	if err := os.WriteFile(path, []byte(smallTable()), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := []string{"repl", "-c", "open leukemia data=cohort.csv label=diagnosis samples=sample k=3 epochs=50 backend=go", "-c", "step 5"}
	cmd := exec.CommandContext(t.Context(), os.Args[0], lines...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs := filepath.Join(dir, ".fsnet", "runs", "leukemia")
	checkpoints, err := filepath.Glob(filepath.Join(runs, "*"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatalf("nothing is kept in %s: %v", runs, err)
	}
	for _, look := range [][]string{{"ls", runs}, append([]string{"cat"}, checkpoints[0])} {
		stranger := otheruser.Stranger(t)
		stranger.Path, stranger.Args = "/bin/"+look[0], look
		if out, err := stranger.CombinedOutput(); err == nil || !strings.Contains(strings.ToLower(string(out)), "permission denied") {
			t.Errorf("another user's %v gives %q, %v", look, out, err)
		}
	}
	stranger := otheruser.Stranger(t)
	stranger.Path, stranger.Args = "/bin/cat", []string{"cat", path}
	if out, err := stranger.CombinedOutput(); err != nil || string(out) != smallTable() {
		t.Errorf("what is open is not read by another user: %q, %v", out, err)
	}
	// Somebody else's directory may not be written to: the session is kept all the same, and nothing is written there.
	lines[2] = strings.Replace(lines[2], "leukemia", "elsewhere", 1)
	out, messages, status := asOther(t, dir, lines...)
	if _, err := os.Stat(filepath.Join(dir, ".fsnet", "runs", "elsewhere")); status != 0 || !strings.Contains(out+messages, "step 5") ||
		!os.IsNotExist(err) {
		t.Errorf("in a directory of somebody else: status %d, %q, %q, %v", status, out, messages, err)
	}
}
