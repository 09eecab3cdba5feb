package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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
