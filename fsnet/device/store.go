package device

import (
	"os"
	"path/filepath"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/compiled"
)

// ProgramsVariable, in the environment, names the directory of compiled programs, or is off.
const ProgramsVariable = "FSNET_PROGRAMS"

// ProgramStore is where XLA's compiled programs are kept on disk for the next process: in the user's cache, or the directory that
// FSNET_PROGRAMS names. It is an error where they are not kept.
func ProgramStore() (*compiled.Store, error) {
	directory := os.Getenv(ProgramsVariable)
	switch {
	case directory == "off":
		return nil, fault.New(fault.Unavailable, "unset it to keep them", "none are kept: %s=off", ProgramsVariable)
	case directory == "":
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, fault.Wrap(err, fault.Unavailable, "set HOME, or name a directory in "+ProgramsVariable, "none are kept")
			}
			cache = filepath.Join(home, ".cache")
		}
		directory = filepath.Join(cache, "fsnet", "programs")
	case !filepath.IsAbs(directory):
		return nil, fault.New(fault.Request, "name it from the root, or write off", "%s = %q is no absolute path", ProgramsVariable, directory)
	}
	store, err := compiled.Open(directory)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "name a directory of yours in "+ProgramsVariable, "none are kept")
	}
	return store, nil
}
