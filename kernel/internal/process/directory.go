package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Directory makes a private directory in parent whose name tells which process it belongs to, and removes those of processes that are
// gone: one that was killed cannot do it itself.
func Directory(parent, prefix string) (string, error) {
	sweep(parent, prefix)
	return os.MkdirTemp(parent, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
}

func sweep(parent, prefix string) {
	found, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range found {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			os.RemoveAll(dir) //nolint:errcheck // another user's stays
		}
	}
}
