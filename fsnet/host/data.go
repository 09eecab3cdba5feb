package host

import (
	"os"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/dataset"
)

// sameData: a built-in name is the same everywhere, in any case; "x.csv" and "./x.csv" are one file, "x.csv" in two directories are two.
func sameData(data, directory, otherData, otherDirectory string) bool {
	if builtin(data) || builtin(otherData) {
		return strings.EqualFold(strings.TrimSpace(data), strings.TrimSpace(otherData))
	}
	here, there := locate(data, directory), locate(otherData, otherDirectory)
	if here == there {
		return true
	}
	a, errA := os.Stat(here)
	b, errB := os.Stat(there)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

func builtin(data string) bool {
	for _, b := range dataset.Builtins() {
		if strings.EqualFold(b.Name, strings.TrimSpace(data)) {
			return true
		}
	}
	return false
}

func locate(data, directory string) string {
	if rest, ok := strings.CutPrefix(data, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(data) {
		return filepath.Clean(data)
	}
	return filepath.Join(directory, data)
}
