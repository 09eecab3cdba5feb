package gonb

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"fsnetlab/kernel/internal/process"
)

// GoNB opens a cell's pipes when the cell is over, too, and waits for ever where nobody has the other end.
func TestThePipesOfACellThatHasEnded(t *testing.T) {
	_, o := stage(t)
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	opened := make(chan struct{})
	const each = 4
	for _, way := range []int{os.O_RDONLY, os.O_WRONLY} {
		for i := range each {
			path := filepath.Join(w.temp(), pipePrefix+strconv.Itoa(way)+strconv.Itoa(i))
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			begins := make(chan struct{})
			go func() {
				close(begins)
				if end, err := os.OpenFile(path, way, 0); err == nil {
					end.Close()
				} else if !os.IsNotExist(err) {
					t.Error(err)
				}
				opened <- struct{}{}
			}()
			<-begins
		}
	}
	write(t, filepath.Join(w.temp(), "gonb_1a", "main.go"), "")
	process.FreePipes(w.temp(), pipePrefix)
	for range 2 * each {
		<-opened
	}
	if list, err := os.ReadDir(w.temp()); err != nil || len(list) != 1 || list[0].Name() != "gonb_1a" {
		t.Errorf("there are %v, %v; want GoNB's module alone", list, err)
	}
}
