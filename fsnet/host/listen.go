package host

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// maxSocketPath is a length that every system accepts. macOS has the lowest
// limit.
const maxSocketPath = 103

// Listen creates a Unix socket at path that only its owner can use (mode 0600).
// The directory must exist, belong to the user and be closed to others (0700),
// because some systems ignore the mode of a socket. Listen replaces a socket
// that a killed process has left, but not one that answers.
func Listen(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, errs.New(errs.Request, "use a directory with a shorter path, such as one under $XDG_RUNTIME_DIR",
			"the socket's path has %d bytes, more than %d: %s", len(path), maxSocketPath, path)
	}
	if err := checkPrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	switch err := system.RemoveDeadSocket(path); {
	case errors.Is(err, system.ErrListens):
		return nil, errs.With(err, errs.Busy, "use another path, or end that process")
	case err != nil:
		return nil, errs.With(err, errs.Request, "use another path")
	}

	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", path) // This does not block.
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "check the path and the space on its file system", "the socket %s cannot be made", path)
	}

	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close() //nolint:errcheck // the error before counts
		return nil, errs.Wrap(err, errs.Failed, "use another directory", "the socket %s cannot be made private", path)
	}
	return listener, nil
}

// checkPrivate rejects a directory that does not exist, is a link, belongs
// to another user or is open to others.
func checkPrivate(directory string) error {
	const remedy = "make one with mktemp -d, or chmod 0700 it"
	info, err := os.Lstat(directory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errs.New(errs.Request, remedy, "the socket's directory %s does not exist", directory)
	case err != nil:
		return errs.Wrap(err, errs.Request, remedy, "the socket's directory %s", directory)
	case !info.IsDir():
		return errs.New(errs.Request, remedy, "the socket's directory %s is not a directory", directory)
	case info.Mode().Perm()&0o077 != 0:
		return errs.New(errs.Request, remedy, "the socket's directory %s is open to others (mode %04o)", directory, info.Mode().Perm())
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return errs.New(errs.Request, remedy, "the socket's directory %s belongs to user %d", directory, stat.Uid)
	}
	return nil
}
