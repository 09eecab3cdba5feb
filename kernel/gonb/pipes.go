package gonb

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// pipePrefix begins the names of the two pipes that GoNB makes for each cell.
const pipePrefix = "gonb_pipe_"

// freePipes removes the pipes of a cell that has ended, and lets whoever waits for their other ends go. GoNB does so itself, but where the
// cell has ended before GoNB opened its own end: then it waits for ever, and the file stays.
func (w *Workspace) freePipes() {
	for _, path := range beginning(w.temp(), pipePrefix) {
		both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // wakes those who wait; whoever comes later finds no file
		os.Remove(path)                                                 //nolint:errcheck // GoNB was faster
		if err == nil {
			both.Close() //nolint:errcheck // nothing was written
		}
	}
}

// tidy removes what a killed GoNB leaves: its module, pipes and sockets.
func (w *Workspace) tidy() {
	for _, path := range append(beginning(w.temp(), "gonb_"), beginning(w.sockets, socketName+"-")...) {
		os.RemoveAll(path) //nolint:errcheck // what is still there is removed with the workspace
	}
}

// beginning are the paths in a directory whose names begin with a prefix.
func beginning(dir, prefix string) (paths []string) {
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
