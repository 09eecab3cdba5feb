package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/fault"
)

// Paths are those of the programs that Go cells need.
type Paths struct {
	Go        string
	GoNB      string
	Goimports string
	Gopls     string // "" where there is none: cells run, completion is poorer
}

// Find looks for the tools in the bin directory under home, then on the PATH. Kind Unavailable, with the cause exec.ErrNotFound: some are
// missing; the error names all of them and how to get them.
func Find(home string) (Paths, error) {
	var t Paths
	var missing []string
	for _, tool := range []struct {
		name     string
		to       *string
		optional bool
		also     []string
	}{
		{"go", &t.Go, false, []string{"/usr/local/go/bin", "/usr/lib/go/bin", "/opt/homebrew/bin"}},
		{"gonb", &t.GoNB, false, goBin()},
		{"goimports", &t.Goimports, false, goBin()},
		{"gopls", &t.Gopls, true, goBin()},
	} {
		*tool.to = find(tool.name, filepath.Join(home, "bin"), tool.also)
		if *tool.to == "" && !tool.optional {
			missing = append(missing, tool.name)
		}
	}
	if len(missing) == 0 {
		return t, nil
	}
	remedy := "run ./install.sh in a clone of FsNet Lab; %fsnet lines work without it"
	if t.Go == "" {
		remedy = "install Go from https://go.dev/dl, put it on Jupyter's PATH, and " + remedy
	}
	err := fault.New(fault.Unavailable, remedy, "Go cells need %s: not in %s, nor on the PATH", strings.Join(missing, ", "),
		filepath.Join(home, "bin"))
	err.Err = exec.ErrNotFound
	return t, err
}

func find(name, first string, also []string) string {
	if path := executable(filepath.Join(first, name)); path != "" {
		return path
	}
	if path, err := exec.LookPath(name); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	for _, dir := range also {
		if path := executable(filepath.Join(dir, name)); path != "" {
			return path
		}
	}
	return ""
}

func executable(path string) string {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
		return path
	}
	return ""
}

// goBin is where go install puts programs.
func goBin() []string {
	if bin := os.Getenv("GOBIN"); bin != "" {
		return []string{bin}
	}
	if path := os.Getenv("GOPATH"); path != "" {
		return []string{filepath.Join(strings.Split(path, string(os.PathListSeparator))[0], "bin")}
	}
	if user, err := os.UserHomeDir(); err == nil {
		return []string{filepath.Join(user, "go", "bin")}
	}
	return nil
}
