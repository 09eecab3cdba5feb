package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// After a row of cells, a kernel uses what it used after the first fifth:
// memory, open and temporary files, processes. FSNET_TEST_ROW=1000 has more
// cells than a test run has time for, and checks memory, too.
func TestBenchKernel_Row(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: what a race detector's build has in use says nothing; run it without -short")
	}
	skipWithoutProc(t)
	cells := max(10, fromEnvironment(t, "FSNET_TEST_ROW", 25))
	k := newTestKernel(t)
	early, late, err := inARow(t.Context(), k, cells, k.warm(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cells in a row: after a fifth of them %+v, at their end %+v", cells, early, late)
	// Of memory a short row says nothing: its first cells fill heaps, pools and caches. A Go program's heap breathes by some.
	const longRow, moreMB, moreShare, moreFiles = 500, 16.0, 0.10, 2
	if more := late.MB - early.MB; cells >= longRow && more > moreMB && more > moreShare*early.MB {
		t.Errorf("memory grew by %.0f MB", more)
	}
	if late.Files > early.Files+moreFiles || late.Temporary > early.Temporary+moreFiles || late.Processes > early.Processes || early.Processes < 2 {
		t.Errorf("files, temporary files or processes grew from %+v to %+v", early, late)
	}
}

// rowUse is what the kernel and everything that it started have in use.
type rowUse struct {
	inUse
	Temporary int // in its own directories
}

// cellOfRow is one of those that run in turn: a status, a step, the selection and all live views, the curves, and where there are any a
// changed Go cell. Of the live views every tenth are those of a session that was made anew.
func cellOfRow(i int, golang bool) string {
	const live = "%fsnet selection\n%fsnet panel\n%fsnet matrix live=true\n%fsnet table\n%fsnet anneal"
	switch {
	case i%50 == 22:
		return openBenchSession + "\n" + live
	case i%5 == 4 && golang:
		return fmt.Sprintf("%%%%\nfmt.Println(\"row %d\")", i)
	}
	return []string{"%fsnet status", "%fsnet step", live, "%fsnet curves", "%fsnet history"}[i%5]
}

// inARow runs cells in turn, and looks at what is in use after a fifth of them and at their end.
func inARow(ctx context.Context, k *testKernel, n int, golang bool) (early, late rowUse, err error) {
	for i := range n {
		if err := runCell(ctx, k.front, cellOfRow(i, golang)); err != nil {
			return early, late, err
		}
		if i+1 == n/5 {
			if golang {
				waitForLookup(k)
				if err := runCell(ctx, k.front, cellOfRow(i, golang)); err != nil { // builds with it, beside what it looked up
					return early, late, err
				}
			}
			early = allInUse(k)
		}
	}
	return early, allInUse(k), nil
}

// waitForLookup waits until the kernel has looked up, beside its cells, what the first Go cell imports: that answer is kept for the
// cells to come, and on a busy machine it arrives late. Where there is none, what it leaves is what the row is judged by.
func waitForLookup(k *testKernel) {
	answer := filepath.Join(filepath.Dir(k.file), fmt.Sprintf("fsnet-cells-%d-*", k.id()), "looked-up")
	for range 300 {
		if found, _ := filepath.Glob(answer); len(found) > 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// allInUse adds up the kernel and its descendants. Processes that come and go are not counted as growth: the least of a few looks is
// taken.
func allInUse(k *testKernel) rowUse {
	best := rowUse{inUse: inUse{Processes: -1}}
	for range 5 {
		u := inUseOf(descendants(k.id())...)
		if best.Processes < 0 || u.Processes < best.Processes {
			best.inUse = u
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, prefix := range []string{"fsnet-kernel-", "fsnet-cells-"} {
		dirs, _ := filepath.Glob(filepath.Join(filepath.Dir(k.file), fmt.Sprintf("%s%d-*", prefix, k.id())))
		for _, dir := range dirs {
			filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { //nolint:errcheck // what has gone does not count
				best.Temporary++
				return nil
			})
		}
	}
	return best
}

// inUse is what processes have of the machine.
type inUse struct {
	Processes int
	Threads   int
	Files     int
	MB        float64 // resident, of 10⁶ bytes
	ByProgram map[string]float64
}

// skipWithoutProc skips a test that looks at processes where that cannot be done.
func skipWithoutProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("NOT TESTED: there is no /proc here")
	}
}

// inUseOf adds up processes. One that has ended has nothing.
func inUseOf(ids ...int) inUse {
	u := inUse{ByProgram: map[string]float64{}}
	for _, id := range ids {
		u.add(id)
	}
	return u
}

func (u *inUse) add(id int) {
	dir := filepath.Join("/proc", strconv.Itoa(id))
	pages, err := os.ReadFile(filepath.Join(dir, "statm"))
	if err != nil {
		return // it has ended
	}
	words := commandOf(dir)
	if len(words) == 0 {
		return
	}
	name := filepath.Base(words[0])
	if name == "sleep" { // GoNB's watch sleeps in a process of its own, now there and now not
		return
	}
	if len(words) > 1 && name == filepath.Base(os.Args[0]) {
		name += " " + words[1]
	}
	u.Processes++
	for _, part := range []struct {
		of string
		to *int
	}{{"fd", &u.Files}, {"task", &u.Threads}} {
		if list, err := os.ReadDir(filepath.Join(dir, part.of)); err == nil {
			*part.to += len(list)
		}
	}
	var size, resident float64
	if n, _ := fmt.Sscan(string(pages), &size, &resident); n == 2 { //nolint:errcheck // counted
		mb := resident * float64(os.Getpagesize()) / 1e6
		u.MB += mb
		u.ByProgram[name] += mb
	}
}

// commandOf is the words that the process of a directory of /proc was started with; none where it has ended.
func commandOf(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
}

// descendants are a process and all that it has started and that runs.
func descendants(root int) []int {
	children := map[int][]int{}
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// pid (name) state parent …
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], id)
		}
	}
	list := []int{root}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}
