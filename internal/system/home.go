package system

import (
	"os"
	"path/filepath"
)

// Home returns $FSNET_HOME or else fsnet in the user's data directory, and "" without a home
// directory.
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

// Prefix returns the directory that a wheel or an archive was unpacked into: the program lies in
// its bin, the files that come with it in share/fsnetlab. It is "" for a program that came alone.
func Prefix() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return ""
	}
	return prefixOf(program)
}

// prefixOf returns the directory above the program's, or "" without share/fsnetlab in it.
func prefixOf(program string) string {
	prefix := filepath.Dir(filepath.Dir(program))
	if info, err := os.Stat(filepath.Join(prefix, "share", "fsnetlab")); err != nil || !info.IsDir() {
		return ""
	}
	return prefix
}
