package gonb

import (
	"bufio"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/errs"
)

// Tools are the paths of the programs that Go cells need.
type Tools struct {
	Go        string
	GoNB      string
	Goimports string
	Gopls     string // "" if it is missing: cells run without completion
}

// FindTools looks for the tools in the bin directory under home, then on the PATH.
// If some are missing, the error names them all and says how to get them. It is
// of kind Unavailable and has the cause exec.ErrNotFound.
func FindTools(home string) (Tools, error) {
	var t Tools
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

	err := errs.New(errs.Unavailable, remedy, "Go cells need %s: not in %s, nor on the PATH", strings.Join(missing, ", "),
		filepath.Join(home, "bin"))
	err.Err = exec.ErrNotFound
	return t, err
}

// find returns the absolute path of a program in the directory first, on the
// PATH, or in the directories also. It returns "" if the program is missing.
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

// executable returns path if it is absolute and names a program, and ""
// otherwise.
func executable(path string) string {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
		return path
	}
	return ""
}

// goBin returns the directory where go install puts programs.
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

// modulePath is the path of the module that cells import.
const modulePath = "fsnetlab"

// FindSource finds the source directory. Cells import its packages as
// fsnetlab/…. It tries $FSNET_SOURCE, src under home, and a checkout that
// contains this program or the working directory. It returns "" if there is
// none. Cells then run without these packages.
func FindSource(home string) string {
	candidates := []string{os.Getenv("FSNET_SOURCE"), filepath.Join(home, "src")}
	if path, err := os.Executable(); err == nil {
		candidates = append(candidates, withParents(filepath.Dir(path))...)
	}
	if dir, err := os.Getwd(); err == nil {
		candidates = append(candidates, withParents(dir)...)
	}

	for _, dir := range candidates {
		if dir == "" {
			continue
		}
		if module, _ := readModule(dir); module == modulePath {
			if abs, err := filepath.Abs(dir); err == nil {
				return abs
			}
		}
	}
	return ""
}

// withParents returns a directory and those that contain it, innermost first.
func withParents(dir string) []string {
	list := []string{dir}
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		list = append(list, parent)
	}
	return list
}

// readModule returns the module path and the Go version in a directory's
// go.mod. It returns "" for what it doesn't find.
func readModule(dir string) (path, version string) {
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

// Version is the version of GoNB that this package relies on. The installer
// builds it from [patched].
const Version = "v0.11.5"

// patched is the source folder to which the patches in install/gonb were
// applied. The binary contains its name. Its number increases when this package
// needs something new from the patches. install/lib.sh has the same name.
const patched = "./patched-3"

// CheckVersion reads the version of a GoNB from its binary. It returns an error
// of kind Unavailable if that isn't Version with our patches. Go cells may
// still work then.
func CheckVersion(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		info = &buildinfo.BuildInfo{} // for example, a script around it
	}
	version := versionOf(info)
	if version == Version {
		return nil
	}
	return errs.New(errs.Unavailable, "run ./install.sh, which builds "+Version,
		"%s is gonb of %s, not the patched %s: Go cells may fail, or misreport their errors", path, version, Version)
}

// versionOf returns the version of a GoNB from its build information.
func versionOf(info *buildinfo.BuildInfo) string {
	switch {
	case info.Main.Path != "github.com/janpfeifer/gonb" || info.Main.Version == "":
		return "an unknown version"
	case info.Main.Replace == nil:
		return info.Main.Version + ", unpatched"
	case info.Main.Replace.Path != patched:
		return info.Main.Version + ", altered"
	}
	return info.Main.Version
}
