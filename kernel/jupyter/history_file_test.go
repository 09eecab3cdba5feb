package jupyter

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"fsnetlab/internal/system"
)

// The test binary is also a kernel that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "remember" {
		h := kept(os.Args[2])
		for n := 1; ; n++ {
			if err := h.Add(n, fmt.Sprintf("cell %d", n)); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println(n)
		}
	}
	os.Exit(m.Run())
}

func kept(path string) *History {
	h := &History{}
	h.Keep(path)
	return h
}

func add(t *testing.T, h *History, count int, code string) {
	t.Helper()
	if err := h.Add(count, code); err != nil {
		t.Fatal(err)
	}
}

// found is what a request finds: session.count code=result.
func found(h *History, r HistoryRequest) string {
	var list []string
	for _, c := range h.Find(r) {
		text := fmt.Sprintf("%d.%d %s", c.Session, c.Count, c.Code)
		if c.Result != "" {
			text += "=" + c.Result
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// The cells of one kernel are found by the next one, in a private file.
func TestHistory_AcrossKernels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "cells")
	first := kept(path)
	add(t, first, 1, "a")
	add(t, first, 2, "b\n\"c\"")
	if err := first.Result(2, "42"); err != nil {
		t.Fatal(err)
	}
	second := kept(path)
	if got, want := found(second, HistoryRequest{Access: "tail", N: 9}), "1.1 a, 1.2 b\n\"c\"=42"; got != want {
		t.Errorf("before its first cell the second kernel finds %q, want %q", got, want)
	}
	add(t, second, 1, "d")
	add(t, first, 3, "a") // both run
	third := kept(path)
	add(t, third, 1, "e")
	for _, c := range []struct {
		of   *History
		r    HistoryRequest
		want string
	}{
		{third, HistoryRequest{Access: "tail", N: 3}, "2.1 d, 1.3 a, 0.1 e"},
		{second, HistoryRequest{Access: "tail"}, "1.1 a, 1.2 b\n\"c\"=42, 1.3 a, 3.1 e, 0.1 d"},
		{third, HistoryRequest{Access: "search", Pattern: "a", Unique: true}, "1.3 a"},
		{third, HistoryRequest{Access: "search", Pattern: "?", N: 2}, "1.3 a, 0.1 e"},
		{third, HistoryRequest{Access: "range", Session: -1}, "2.1 d"},
		{third, HistoryRequest{Access: "range", Session: -2, Start: 2, Stop: 3}, "1.2 b\n\"c\"=42"},
		{third, HistoryRequest{Access: "range", Session: -3}, ""},
		{third, HistoryRequest{Access: "range", Session: 1, Start: 3}, "1.3 a"},
		{third, HistoryRequest{Access: "range", Session: 3}, "0.1 e"},
		{third, HistoryRequest{Access: "range", Session: 4}, ""},
		{third, HistoryRequest{Access: "range"}, "0.1 e"},
	} {
		if got := found(c.of, c.r); got != c.want {
			t.Errorf("%+v finds %q, want %q", c.r, got, c.want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// If several kernels add cells at the same time, no cell is lost.
func TestHistory_ConcurrentKernels(t *testing.T) {
	const kernels, cells = 4, 100
	path := filepath.Join(t.TempDir(), "cells")
	var all sync.WaitGroup
	for n := range kernels {
		all.Go(func() {
			h := kept(path)
			for i := range cells {
				if err := h.Add(i+1, fmt.Sprintf("%d of %d", i+1, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	next := map[int]int{} // the next count, by session
	for _, c := range kept(path).Find(HistoryRequest{Access: "tail"}) {
		if next[c.Session]++; c.Count != next[c.Session] || !strings.HasPrefix(c.Code, fmt.Sprint(c.Count, " of ")) {
			t.Fatalf("session %d: %d %q, want %d", c.Session, c.Count, c.Code, next[c.Session])
		}
	}
	if len(next) != kernels || next[1] != cells || next[kernels] != cells {
		t.Errorf("cells by session: %v", next)
	}
}

// A killed kernel loses at most the cell that it was writing.
func TestHistory_AfterAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells")
	child := exec.Command(os.Args[0], "remember", path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, err := fmt.Sscan(lines.Text(), &said); err != nil {
			t.Fatal(lines.Text())
		}
		if said == 50 {
			child.Process.Signal(syscall.SIGKILL) //nolint:errcheck // it has not ended by itself
		}
	}
	child.Wait() //nolint:errcheck // it was killed
	if got := len(kept(path).Find(HistoryRequest{Access: "tail"})); got < said || got > said+1 {
		t.Errorf("%d cells are kept, %d were written", got, said)
	}
	// As if it had been killed in the middle of a line.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	next := kept(path)
	add(t, next, 1, "after")
	if got, want := found(kept(path), HistoryRequest{Access: "tail", N: 1}), "2.1 after"; got != want {
		t.Errorf("behind half a line there is %q, want %q", got, want)
	}
}

// The file is bounded, even against one huge cell, and its content isn't
// trusted.
func TestHistory_FileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells")
	h := kept(path)
	large := strings.Repeat("x", 60<<10)
	for n := range 100 {
		add(t, h, n+1, fmt.Sprint(n+1, large))
	}
	add(t, h, 101, strings.Repeat("y", maxRecord+1))
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxBytes || info.Mode().Perm() != 0o600 {
		t.Fatalf("%d bytes, %v", info.Size(), err)
	}
	cells := kept(path).Find(HistoryRequest{Access: "tail"})
	if n := len(cells); n < 20 || cells[n-1].Count != 100 || cells[0].Count != 100-n+1 {
		t.Errorf("%d cells are kept, from %d to %d", n, cells[0].Count, cells[n-1].Count)
	}
	if got := h.Find(HistoryRequest{Access: "tail", N: 1}); len(got[0].Code) != maxRecord+1 {
		t.Error("the kernel's own cells are no matter of the file")
	}
	again := kept(path)
	add(t, again, 1, "again")
	if got := again.Find(HistoryRequest{Access: "range", Session: -1, Start: 100, Stop: 101}); len(got) != 1 {
		t.Errorf("the session before has %d such cells", len(got))
	}
}

// If the path can't hold a history, Add returns an error and the cell is kept
// in memory. Of a damaged file, the lines that can be read are kept.
func TestHistory_UnusableFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("\x00\xff{\"session\":-1}\n[]\n"+
		"{\"session\":1000000000,\"line\":2,\"code\":\"kept\"}\n{\"session\":3,\"line\":1,\"result\":\"of none\"}\nnull"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe, "/dev/null/x", filepath.Join(dir, "file", "x")} {
		h := kept(path)
		if err := h.Add(1, "x"); err == nil {
			t.Errorf("%s takes cells", path)
		}
		if got := found(h, HistoryRequest{Access: "tail"}); got != "0.1 x" {
			t.Errorf("with %s there is %q", path, got)
		}
	}
	h := kept(filepath.Join(dir, "file"))
	add(t, h, 1, "x")
	if got := found(h, HistoryRequest{Access: "tail"}); got != "1000000000.2 kept, 0.1 x" {
		t.Errorf("of a damaged file there is %q", got)
	}
}

// Whatever is in the file, it is read, and the next cell is there behind it.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"", "{", "{\"session\":1,\"line\":1,\"code\":\"a\"}", "\n\n", "{\"session\":9223372036854775807,\"code\":\"x\"}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "cells")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		h := kept(path)
		if err := h.Add(1, "after"); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(now, text) || !strings.Contains(string(now), "after") {
			t.Errorf("%q became %q, %v", text, now, err)
		}
		if got := h.Find(HistoryRequest{Access: "search", Pattern: "after", N: 1}); len(got) != 1 || got[0].Session != 0 {
			t.Errorf("found is %v", got)
		}
	})
}

// A cell is in the new file if another kernel replaces the file while the cell
// is added.
func TestHistory_AddWhileAnotherShortens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	other, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := system.LockExclusive(other); err != nil {
		t.Fatal(err)
	}
	f, times := &file{path: path}, 0
	err = f.withLock(func(to *os.File, _ int64, _ bool) error {
		if times++; times == 1 { // whoever has the lock shortens it now
			if err := system.WritePrivate(path, []byte("short\n")); err != nil {
				t.Fatal(err)
			}
		}
		_, err := to.WriteString("added\n")
		return err
	})
	if text, _ := os.ReadFile(path); err != nil || string(text) != "short\nadded\n" {
		t.Errorf("%q is there, %v", text, err)
	}
}

// A pattern with * and ? finds the cells that fit as a whole, over several
// lines as well.
func TestHistory_Patterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true},
		{"*", "two\nlines", true},
		{"%fsnet open * data=/home/*", "%fsnet open a\\\n data=/home/me/x.csv", true},
		{"*[x]*", "a[x] = 1", true},
		{"*[x]*", "x", false},
		{"a?c", "aöc", true},
		{"a?c", "ac", false},
		{"a*c", "abcd", false},
		{"", "", true},
		{"", "a", false},
		{`\*`, `\d`, true},
		{"(", "(", true},
	} {
		pattern, err := compileGlob(c.pattern)
		if err != nil || pattern.MatchString(c.text) != c.want {
			t.Errorf("%q fits %q: %t, %v", c.text, c.pattern, !c.want, err)
		}
	}
	h := &History{}
	if found := h.Find(HistoryRequest{Access: "search", Pattern: strings.Repeat("(", maxPattern+1)}); len(found) > 0 {
		t.Error(found)
	}
}

// Without a file, the history keeps the last cells and no more.
func TestHistory_MemoryIsBounded(t *testing.T) {
	h := &History{}
	for n := range 3 * historyLength {
		if h.Add(n, "x") != nil || h.Result(n, "y") != nil {
			t.Fatal("without a file there is nothing to fail")
		}
	}
	if len(h.cells) > historyLength || cap(h.cells) > 4*historyLength || h.cells[len(h.cells)-1].Count != 3*historyLength-1 {
		t.Errorf("%d of %d cells are kept", len(h.cells), cap(h.cells))
	}
}
