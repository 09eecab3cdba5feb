// Package home says where FsNet is installed: what the installer wrote there, the program and the kernel look for.
package home

import (
	"os"
	"path/filepath"
)

// Directory is $FSNET_HOME, else fsnet in the user's data directory; "" where there is no home.
func Directory() string {
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
