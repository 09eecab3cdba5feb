package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fsnetlab/fsnet/fault"
)

// leastRow is how many cells are in a row at the least.
const leastRow = 10

// rowReport is what a row of cells leaves in use, after its first fifth and at its end.
type rowReport struct {
	Cells   int     `json:"cells"`
	Seconds float64 `json:"seconds"`
	Early   inUse   `json:"early"`
	Late    inUse   `json:"late"`
	Grew    string  `json:"grew"` // what did, in words; "" is nothing
}

// inUse is what the kernel and everything that it started have in use.
type inUse struct {
	Processes int                `json:"processes"`
	Files     int                `json:"open_files"`
	Temporary int                `json:"temporary_files"` // in its own directories
	MB        float64            `json:"mb"`              // resident, of 10⁶ bytes
	ByProgram map[string]float64 `json:"mb_by_program"`
}

// What does not count as growth: a Go program's heap breathes by more than this between two collections.
const (
	allowedMB    = 16.0
	allowedShare = 0.10
	allowedFiles = 2
)

// inARow runs cells in turn: a status, a step, the selection, the curves, and where there are any a changed Go cell.
func (k *benchedKernel) inARow(ctx context.Context, n int, golang bool) (*rowReport, error) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return nil, fault.New(fault.Request, "leave --row out", "what processes use is not to be seen here: there is no /proc")
	}
	r := &rowReport{Cells: n}
	began := time.Now()
	for i := range n {
		code := []string{"%fsnet status", "%fsnet step", "%fsnet selection", "%fsnet curves", fmt.Sprintf("%%%%\nfmt.Println(\"row %d\")", i)}[i%5]
		if i%5 == 4 && !golang {
			code = "%fsnet history"
		}
		if err := runCell(ctx, k.front, code); err != nil {
			return nil, err
		}
		if i+1 == n/5 {
			r.Early = k.inUse()
		}
	}
	r.Seconds = time.Since(began).Seconds()
	r.Late = k.inUse()
	r.judge()
	return r, nil
}

func (r *rowReport) judge() {
	var grew []string
	if more := r.Late.MB - r.Early.MB; more > allowedMB && more > allowedShare*r.Early.MB {
		grew = append(grew, fmt.Sprintf("memory by %.0f MB", more))
	}
	if more := r.Late.Files - r.Early.Files; more > allowedFiles {
		grew = append(grew, fmt.Sprintf("open files by %d", more))
	}
	if more := r.Late.Temporary - r.Early.Temporary; more > allowedFiles {
		grew = append(grew, fmt.Sprintf("temporary files by %d", more))
	}
	if more := r.Late.Processes - r.Early.Processes; more > 0 {
		grew = append(grew, fmt.Sprintf("processes by %d", more))
	}
	r.Grew = strings.Join(grew, ", ")
}

func (r *rowReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%d cells in a row took %.1f s\n", r.Cells, r.Seconds)
	for _, at := range []struct {
		when string
		u    inUse
	}{{"after a fifth of them", r.Early}, {"at their end", r.Late}} {
		fmt.Fprintf(out, "  %-22s %6.1f MB, %d open files, %d temporary files, %d processes\n", at.when, at.u.MB, at.u.Files, at.u.Temporary, at.u.Processes)
	}
	what := "nothing grew"
	if r.Grew != "" {
		what = "grew: " + r.Grew
	}
	_, err := fmt.Fprintln(out, "  "+what)
	return err
}

// inUse adds up the kernel and its descendants. Processes that come and go are not counted as growth: the least of a few looks is taken.
func (k *benchedKernel) inUse() inUse {
	best := inUse{Processes: -1}
	for range 5 {
		u := inUse{ByProgram: map[string]float64{}}
		for _, pid := range descendants(k.Process.Pid) {
			u.add(pid)
		}
		if best.Processes < 0 || u.Processes < best.Processes {
			best = u
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, prefix := range []string{"fsnet-kernel-", "fsnet-cells-"} {
		for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
			dirs, err := filepath.Glob(filepath.Join(parent, fmt.Sprintf("%s%d-*", prefix, k.Process.Pid)))
			if err != nil || parent == "" {
				continue
			}
			for _, dir := range dirs {
				filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { best.Temporary++; return nil }) //nolint:errcheck // what has gone does not count
			}
		}
	}
	return best
}

func (u *inUse) add(pid int) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	pages, err := os.ReadFile(filepath.Join(dir, "statm"))
	if err != nil {
		return // it has ended
	}
	command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return
	}
	words := strings.Split(string(command), "\x00")
	name := filepath.Base(words[0])
	if name == "sleep" { // GoNB's watch sleeps in a process of its own, now there and now not
		return
	}
	if len(words) > 1 && name == filepath.Base(os.Args[0]) {
		name += " " + words[1]
	}
	u.Processes++
	if open, err := os.ReadDir(filepath.Join(dir, "fd")); err == nil {
		u.Files += len(open)
	}
	var size, resident float64
	if n, _ := fmt.Sscan(string(pages), &size, &resident); n == 2 { //nolint:errcheck // counted
		mb := resident * float64(os.Getpagesize()) / 1e6
		u.MB += mb
		u.ByProgram[name] += mb
	}
}

// descendants are a process and all that it has started.
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
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	list := []int{root}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}
