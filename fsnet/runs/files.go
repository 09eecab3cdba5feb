package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxBytes limits the total size of the checkpoints of a run. The newest two
// are always kept, however large they are.
const MaxBytes = 64 << 20

// File is a checkpoint of a run.
type File struct {
	Path     string
	Number   int // counts the writes, so the newest has the highest
	Step     int
	Bytes    int64
	Modified time.Time
}

// fileName returns the name of the file of a checkpoint.
func fileName(number, step int) string {
	return fmt.Sprintf("checkpoint-%06d-step-%09d.safetensors", number, step)
}

var fileNames = regexp.MustCompile(`^checkpoint-(\d{6,9})-step-(\d{9,12})\.safetensors$`)

// Files lists the checkpoints of a run directory, newest first, whether or
// not it is locked. A directory that does not exist has no checkpoints.
func Files(path string) ([]File, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cannot(err, "read", path)
	}
	var list []File
	for _, e := range entries {
		m := fileNames.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it was removed in the meantime
		}

		f := File{Path: filepath.Join(path, e.Name()), Bytes: info.Size(), Modified: info.ModTime()}
		f.Number, _ = strconv.Atoi(m[1]) //nolint:errcheck // digits, and few of them
		f.Step, _ = strconv.Atoi(m[2])   //nolint:errcheck // digits, and few of them
		list = append(list, f)
	}

	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(b.Number, a.Number) })
	return list, nil
}

// Past returns the files of a list that lead to the newest one. The list
// must have the order of [Files]. Past leaves out files that a rewind
// abandoned, and files that were rewritten later at the same step.
func Past(list []File) []File {
	var out []File
	for _, f := range list {
		if len(out) == 0 || f.Step < out[len(out)-1].Step {
			out = append(out, f)
		}
	}
	return out
}

// superfluous returns the files to remove after list[0] has been written. It
// always keeps list[1], in case list[0] turns out to be damaged.
func superfluous(list []File, limit int64) []File {
	if len(list) < 3 {
		return nil
	}
	keep := map[int]bool{list[0].Number: true, list[1].Number: true}
	newest := list[0].Step
	leading := Past(list)
	bucket := func(f File) int { return bits.Len(uint(newest-f.Step) / firstDistance) }

	for i, f := range leading {
		first := i == 0 || bucket(leading[i-1]) != bucket(f)
		last := i == len(leading)-1 || bucket(leading[i+1]) != bucket(f)
		if first || last {
			keep[f.Number] = true
		}
	}

	var bytes int64
	var out []File
	for i, f := range list { // newest first, so the limit removes the oldest
		if bytes += f.Bytes; !keep[f.Number] || i > 1 && bytes > limit {
			bytes -= f.Bytes
			out = append(out, f)
		}
	}
	return out
}

// firstDistance is the distance in steps from the newest checkpoint within
// which at most two older ones are kept.
const firstDistance = 16

// removeUnfinished removes files that a process was still writing when it
// was killed. It ignores errors. The caller must hold the lock.
func removeUnfinished(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".fsnet-") {
			os.Remove(filepath.Join(path, e.Name()))
		}
	}
}
