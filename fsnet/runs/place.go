package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// folder is the directory below a working directory that holds its runs.
const folder = ".fsnet"

// placesOf returns the folders that may hold the runs of a working directory:
// first the one inside it, then the one that we use if that is not writable.
func placesOf(directory string) ([]string, error) {
	path, err := filepath.Abs(directory)
	if err != nil {
		return nil, errs.Wrap(err, errs.Request, "give its full path", "directory %q", directory)
	}
	list := []string{filepath.Join(path, folder, "runs")}
	if state := StateHome(); state != "" {
		if direct, err := filepath.EvalSymlinks(path); err == nil {
			path = direct
		}
		hash := sha256.Sum256([]byte(path))
		list = append(list, filepath.Join(state, "fsnet", "runs", hex.EncodeToString(hash[:8])))
	}
	return list, nil
}

// StateHome returns $XDG_STATE_HOME or ~/.local/state. It returns "" if
// there is no home directory.
func StateHome() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state")
}

// create makes the directory of a run and returns its path. Only the owner
// can read it, and git ignores it.
func create(place, name string) (string, error) {
	path := filepath.Join(place, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", err
	}
	if top := filepath.Dir(place); filepath.Base(top) == folder {
		ignore := filepath.Join(top, ".gitignore")
		if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
			// Write it in one piece. Otherwise a full disk would leave an empty
			// file.
			if err := system.WritePrivate(ignore, []byte("*\n")); err != nil {
				return "", err
			}
		}
	}
	return path, nil
}

// notWritable reports whether err means that a place may not be written to,
// rather than that the disk is full.
func notWritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// validName limits names to 64 characters. That leaves room for suffixes in
// every file system.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName returns an error of kind Request if a name could not be a directory
// name everywhere.
func CheckName(name string) error {
	if validName.MatchString(name) {
		return nil
	}
	return errs.New(errs.Request, "use letters, digits, . _ -, starting with a letter or digit, at most 64 of them",
		"a session cannot be called %.80q", name)
}

// cannot returns an error of kind Failed that says that a run directory cannot
// be read, cleared and so on, as what says.
func cannot(err error, what, path string) error {
	return errs.Wrap(system.Reason(err), errs.Failed, "check its file system", "the run directory %s cannot be %s", path, what)
}
