package process

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// FreePipes removes the pipes with a prefix, which are those of a cell that has ended, and lets whoever waits for their other ends go. GoNB
// does so itself, but where the cell has ended before GoNB opened its own end: then it waits for ever, and the file stays.
func FreePipes(dir, prefix string) {
	for _, path := range Beginning(dir, prefix) {
		both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // wakes those who wait; whoever comes later finds no file
		os.Remove(path)                                                 //nolint:errcheck // GoNB was faster
		if err == nil {
			both.Close() //nolint:errcheck // nothing was written
		}
	}
}

// Beginning are the paths in a directory whose names begin with a prefix.
func Beginning(dir, prefix string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it was removed with all that is in it
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}
