package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fsnetlab/kernel/laboratory"
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
	laboratory.Use
	Temporary int `json:"temporary_files"` // in its own directories
}

// What does not count as growth: a Go program's heap breathes by more than this between two collections.
const (
	allowedMB    = 16.0
	allowedShare = 0.10
	allowedFiles = 2
)

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

// inARow runs cells in turn.
func inARow(ctx context.Context, k *laboratory.Kernel, n int, golang bool, progress func(done int)) (*rowReport, error) {
	r := &rowReport{Cells: n}
	began := time.Now()
	for i := range n {
		if err := runCell(ctx, k.Front, cellOfRow(i, golang)); err != nil {
			return nil, err
		}
		progress(i + 1)
		if i+1 == n/5 {
			r.Early = allInUse(k)
		}
	}
	r.Seconds = time.Since(began).Seconds()
	r.Late = allInUse(k)
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

// allInUse adds up the kernel and its descendants. Processes that come and go are not counted as growth: the least of a few looks is
// taken.
func allInUse(k *laboratory.Kernel) inUse {
	best := inUse{Use: laboratory.Use{Processes: -1}}
	for range 5 {
		u := laboratory.UseOf(laboratory.Descendants(k.ID())...)
		if best.Processes < 0 || u.Processes < best.Processes {
			best.Use = u
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, prefix := range []string{"fsnet-kernel-", "fsnet-cells-"} {
		for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
			dirs, err := filepath.Glob(filepath.Join(parent, fmt.Sprintf("%s%d-*", prefix, k.ID())))
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
