package system

import (
	"os"
	"path/filepath"
)

// Home returns $FSNET_HOME if it is set, and otherwise fsnet in the user's data
// directory. If there is no home directory, it returns "".
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

// Prefix returns the directory that a wheel or an archive was unpacked into.
// The program is in its folder bin, and the files that come with it are in
// share/fsnetlab. If the program came without them, Prefix returns "".
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

// prefixOf returns the directory above that of the program. If it does not
// contain share/fsnetlab, it returns "".
func prefixOf(program string) string {
	prefix := filepath.Dir(filepath.Dir(program))
	if info, err := os.Stat(filepath.Join(prefix, "share", "fsnetlab")); err != nil || !info.IsDir() {
		return ""
	}
	return prefix
}
