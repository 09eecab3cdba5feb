package process

import (
	"os"

	"fsnetlab/fsnet/fault"
)

// Self is a command, or where there is none a verb of this program.
func Self(command []string, verb string) ([]string, error) {
	if len(command) > 0 {
		return command, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "run ./install.sh again", "the path of this program is not known")
	}
	return []string{path, verb}, nil
}
