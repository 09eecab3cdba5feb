package gonb

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fsnetlab/kernel/cell"
)

// lookups remembers what was looked up last. The go command finds out anew in every build where the compiled packages are that a cell
// imports, which takes as long as compiling and linking the cell. So it is asked once, in the background, when the kernel has started and
// after a cell that imports something else, and the go script builds cells with its answer (quick in go.sh).
type lookups struct {
	mu      sync.Mutex
	running bool
	asked   bool     // while it runs, for the imports of a later cell
	module  string   // the go.mod that the answer is for; "": there is none
	imports []string // that the answer is about
	files   string   // the directory of the answer in force
	before  string   // that of the one before, by which a build that has begun may go
}

// LookUp asks about what the cell imports that was compiled last, and what cells usually do, unless the last answer has it and still
// stands.
func (w *Workspace) LookUp() {
	text, err := os.ReadFile(filepath.Join(w.gonbModule(), "go.mod"))
	if err != nil {
		return
	}
	l, module, wanted := &w.lookups, string(text), slices.Concat(w.packages(), importsOf(w.generatedCode()))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.module != module {
		l.imports = append(cell.Usual(), "runtime")
	}
	missing := slices.DeleteFunc(wanted, func(path string) bool { return slices.Contains(l.imports, path) })
	_, err = os.Stat(w.lookedUp()) // the script removes it where a source has changed
	if l.module == module && len(missing) == 0 && err == nil {
		return
	}
	if l.running {
		l.asked = true
		return
	}
	l.running, l.module, l.imports = true, module, append(l.imports, missing...)
	go func(imports []string) {
		files, err := w.find(module, imports)
		l.mu.Lock()
		again := l.asked
		l.running, l.asked = false, false
		if err != nil { // the next cell asks again
			l.module = ""
			os.RemoveAll(files)
		} else {
			os.RemoveAll(l.before)
			l.before, l.files = l.files, files
		}
		l.mu.Unlock()
		if again {
			w.LookUp()
		}
	}(slices.Clone(l.imports))
}

// importsOf is what GoNB's program imports.
func importsOf(code string) (paths []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", code, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil
		}
		paths = append(paths, path)
	}
	return paths
}

// listedPackage is what the go command says of a package.
type listedPackage struct {
	ImportPath, Dir, Export, DefaultGODEBUG         string
	Deps                                            []string
	EmbedFiles, CgoFiles, CFiles, SFiles, SysoFiles []string
	Module                                          *struct {
		GoMod, GoVersion string
		Main             bool
		Replace          *struct{}
	}
}

var errGoCommand = errors.New("only the go command builds with these settings")

// find asks the go command about a program with those imports, in a directory of its own, and leaves there what it says, and a file for the
// go script to source. Left out are packages with C in them, and those of directories with files besides Go: what imports them is built by
// the go command.
func (w *Workspace) find(module string, imports []string) (files string, err error) {
	if files, err = os.MkdirTemp(w.directory.Path, "lookup-"); err != nil {
		return "", err
	}
	program := "package main\n\nimport (\n\t_ \"" + strings.Join(imports, "\"\n\t_ \"") + "\"\n)\n\nfunc main() {}\n"
	sums, _ := os.ReadFile(filepath.Join(w.gonbModule(), "go.sum")) //nolint:errcheck // a module that needs nothing has none
	for name, text := range map[string]string{"go.mod": module, "go.sum": string(sums), "main.go": program} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			return files, err
		}
	}
	tools, err := w.toolsFor(files)
	if err != nil {
		return files, err
	}
	sources, stamps, err := w.stamp(files)
	if err != nil {
		return files, err
	}
	text, err := w.ask(files, "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,DefaultGODEBUG,Deps,EmbedFiles,CgoFiles,CFiles,SFiles,SysoFiles,Module", ".")
	if err != nil {
		return files, err
	}
	refused, language := []string{"runtime/cgo"}, ""
	isRefused := func(path string) bool { return slices.Contains(refused, path) }
	var direct, all strings.Builder
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var p listedPackage
		if err := decoder.Decode(&p); err != nil {
			return files, err
		}
		if p.Module != nil && p.Module.Main { // the program
			if language = goversion.Lang("go" + p.Module.GoVersion); p.DefaultGODEBUG != "" { // an older version has other defaults
				return files, errGoCommand
			}
			continue
		}
		if p.Module != nil && p.Module.Replace != nil &&
			len(p.EmbedFiles)+len(p.CgoFiles)+len(p.CFiles)+len(p.SFiles)+len(p.SysoFiles) > 0 {
			refused = append(refused, p.ImportPath)
		}
		if p.Export == "" {
			continue
		}
		line := "packagefile " + p.ImportPath + "=" + p.Export + "\n"
		all.WriteString(line)
		if slices.Contains(imports, p.ImportPath) && !isRefused(p.ImportPath) && !slices.ContainsFunc(p.Deps, isRefused) {
			direct.WriteString(line)
		}
	}
	environment := strings.Join([]string{w.goFlags(), os.Getenv("GOOS"), os.Getenv("GOARCH"), os.Getenv("CGO_ENABLED")}, " ")
	settings := "tools=" + quoted(tools) + "\nlanguage=" + quoted(language) + "\nfiles=" + quoted(files) +
		"\nenvironment=" + quoted(environment) + "\nsources=" + quoted(sources) + "\nstamps=" + quoted(stamps) + "\n"
	for name, text := range map[string]string{"imports": direct.String(), "packages": all.String(), "settings": settings} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			return files, err
		}
	}
	return files, os.Rename(filepath.Join(files, "settings"), w.lookedUp()) // whole or not there
}

// stamp gives the sources of modules in directories that a program imports, a path a line, and what the system says of them and of what lies
// in them: size, and when content and state were changed. A source that is not what was looked up has another of these, however old it
// says that it is. The go script compares them with what the same command says then.
func (w *Workspace) stamp(files string) (sources, stamps string, err error) {
	text, err := w.ask(files, "list", "-deps", "-f", "{{with .Module}}{{if .Replace}}{{$.Dir}}\n{{.GoMod}}{{end}}{{end}}", ".")
	if err != nil {
		return "", "", err
	}
	paths := append(strings.Split(strings.TrimSpace(string(text)), "\n"), filepath.Join(files, "main.go")) // so that there is one
	slices.Sort(paths)
	paths = slices.DeleteFunc(slices.Compact(paths), func(path string) bool { return path == "" })
	found, err := exec.CommandContext(w.life, "find", append(slices.Clone(paths), "-maxdepth", "1", "-printf", `%p %s %T@ %C@\n`)...).Output()
	return strings.Join(paths, "\n"), strings.TrimRight(string(found), "\n"), err
}

// toolsFor is the directory of the compiler and the linker. It fails where the user has settings of Go that change what they are called
// with.
func (w *Workspace) toolsFor(dir string) (tools string, err error) {
	changed, err := w.ask(dir, "env", "-changed")
	if err != nil {
		return "", err
	}
	harmless := strings.Fields("GOFLAGS GOPROXY GOSUMDB GONOSUMDB GOPRIVATE GONOPROXY GOMODCACHE GOCACHE GOPATH GOBIN GOTMPDIR GOTELEMETRY " +
		"GOTOOLCHAIN GOWORK GOENV GOAUTH GOINSECURE")
	for line := range strings.Lines(string(changed)) {
		if name, _, found := strings.Cut(line, "="); found && !slices.Contains(harmless, name) {
			return "", errGoCommand
		}
	}
	for flag := range strings.FieldsSeq(os.Getenv("GOFLAGS")) {
		if !slices.Contains([]string{"-modcacherw", "-mod=mod", "-buildvcs=false"}, flag) {
			return "", errGoCommand
		}
	}
	where, err := w.ask(dir, "env", "GOTOOLDIR")
	return strings.TrimSpace(string(where)), err
}

// ask asks the go command, out of the way of cells.
func (w *Workspace) ask(dir string, args ...string) ([]byte, error) {
	command := exec.CommandContext(w.life, "nice", append([]string{w.Tools.Go}, args...)...)
	command.Dir, command.Env = dir, append(append(bareEnvironment(), w.caches...), "PATH="+os.Getenv("PATH"), "GOFLAGS="+w.goFlags(), "PWD="+dir)
	return command.Output()
}

// quoted is a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func (w *Workspace) lookedUp() string { return filepath.Join(w.directory.Path, "looked-up") }
