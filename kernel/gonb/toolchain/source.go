package toolchain

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// Module is the path of the module that cells import.
const Module = "fsnetlab"

// Source finds the directory whose packages cells import as fsnetlab/…: $FSNET_SOURCE, src under home, or a checkout that holds this
// program or the working directory. It is "" where there is none: cells then run without these packages.
func Source(home string) string {
	candidates := []string{os.Getenv("FSNET_SOURCE"), filepath.Join(home, "src")}
	if path, err := os.Executable(); err == nil {
		candidates = append(candidates, above(filepath.Dir(path))...)
	}
	if dir, err := os.Getwd(); err == nil {
		candidates = append(candidates, above(dir)...)
	}
	for _, dir := range candidates {
		if dir == "" {
			continue
		}
		if module, _ := ReadModule(dir); module == Module {
			if abs, err := filepath.Abs(dir); err == nil {
				return abs
			}
		}
	}
	return ""
}

func above(dir string) []string {
	list := []string{dir}
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		list = append(list, parent)
	}
	return list
}

// ReadModule reads a go.mod as far as its path and its version of Go.
func ReadModule(dir string) (path, version string) {
	f, err := os.Open(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch words := strings.Fields(lines.Text()); {
		case len(words) == 2 && words[0] == "module":
			path = strings.Trim(words[1], `"`)
		case len(words) == 2 && words[0] == "go":
			version = words[1]
		}
	}
	return path, version
}
