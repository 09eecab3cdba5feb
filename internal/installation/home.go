// Package installation says which FsNet this is and where it is installed: where the installer writes, and the program and the kernel look.
package installation

import (
	"os"
	"path/filepath"
)

// Home is $FSNET_HOME, else fsnet in the user's data directory; "" where there is no home.
func Home() string {
	if dir := os.Getenv("FSNET_HOME"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "fsnet")
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(user, ".local", "share", "fsnet")
}
