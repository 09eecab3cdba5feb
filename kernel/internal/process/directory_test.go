package process

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fsnetlab/internal/system"
)

// left makes a directory as a process leaves it that was killed on the machine of these words.
func left(t *testing.T, path string, machine ...string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, "deep", "down"), 0o700); err != nil {
		t.Fatal(err)
	}
	if machine != nil {
		if err := os.WriteFile(filepath.Join(path, lockName), []byte(strings.Join(machine, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// held is left, locked by a process that lives.
func held(t *testing.T, path string) string {
	t.Helper()
	locked(t, path)
	return path
}

func locked(t *testing.T, path string) *os.File {
	t.Helper()
	left(t, path, machine()...)
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := system.LockExclusive(f); errors.Is(err, system.ErrUnsupported) {
		t.Skip("NOT TESTED: the temporary directory has no locks")
	} else if err != nil {
		t.Fatal(err)
	}
	return f
}

// If a process is killed while it starts another, the child holds its lock for
// a moment. The directory is removed soon after.
func TestNewDirectory_InheritedLock(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "x-999999999-1")
	held := locked(t, path)
	made, err := NewDirectory(parent, "x-")
	if err != nil {
		t.Fatal(err)
	}
	defer made.Remove() //nolint:errcheck // a temporary directory
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	held.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s stays", path)
		}
	}
}

// A new directory is private and named after this process. Directories whose
// lock is free are removed. All others stay, whatever number is in their names,
// since in another container it may be of another process or of none.
func TestNewDirectory_SweepsDeadOnes(t *testing.T) {
	parent := t.TempDir()
	at := func(name string) string { return filepath.Join(parent, name) }
	const nobody, another = "x-999999999-", "x-999999998-"
	stay := []string{
		held(t, at(nobody+"1")),
		left(t, at(nobody+"2"), "elsewhere", "started-there"),
		left(t, at(nobody+"3"), ""),
		left(t, at(nobody+"4")), // by a version that had no locks: its owner may live
		left(t, at("x-notes"), machine()...),
		left(t, at("x-0-1"), machine()...),
		left(t, at("y-999999999-1"), machine()...),
	}
	away := []string{
		left(t, at(another+"1"), machine()...),
		left(t, at(another+"2"), "a-container", machine()[len(machine())-1]),
		left(t, at(another+"3"), machine()[0], "an-earlier-start"),
		left(t, at("x-"+strconv.Itoa(os.Getpid())+"-1"), machine()...), // of a container's process with this one's number
		at(another + "4"),
	}
	if err := os.Mkdir(at(another+"4"), 0o700); err != nil { // killed before it could lock it
		t.Fatal(err)
	}
	made, err := NewDirectory(parent, "x-")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(made.Path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", made.Path, info, err)
	}
	if !strings.HasPrefix(made.Path, at("x-"+strconv.Itoa(os.Getpid())+"-")) {
		t.Errorf("its name is %s", made.Path)
	}
	for _, path := range stay {
		if _, err := os.Stat(filepath.Join(path, "deep", "down")); err != nil {
			t.Error(err)
		}
	}
	for _, path := range away {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	// What the killed process had started writes once more, and makes the directory anew.
	late := away[0]
	if err := os.MkdirAll(filepath.Join(late, "tmp", "go-build1", "b078"), 0o700); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(late); os.IsNotExist(err) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s, made anew, stays", late)
		}
	}
	if err := made.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(made.Path); !os.IsNotExist(err) {
		t.Errorf("removed, it is still there: %v", err)
	}
}

// A start sweeps, and never removes a directory that another start has just
// made.
func TestNewDirectory_ConcurrentStarts(t *testing.T) {
	parent := t.TempDir()
	made := make([]*Directory, 100)
	var starts sync.WaitGroup
	for i := range made {
		starts.Go(func() {
			d, err := NewDirectory(parent, "x-")
			if err != nil {
				t.Error(err)
				return
			}
			if err := os.WriteFile(filepath.Join(d.Path, "mine"), nil, 0o600); err != nil {
				t.Error(err)
			}
			made[i] = d
		})
	}
	starts.Wait()
	for _, d := range made {
		if d == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(d.Path, "mine")); err != nil {
			t.Error(err)
		}
		d.Remove() //nolint:errcheck // the test's own directory goes, too
	}
}
