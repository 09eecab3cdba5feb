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
// imports, which takes longer than compiling and linking the cell. So it is asked once, in the background after a cell that compiled, and
// the go script builds the next cells with its answer (quick in go.sh).
type lookups struct {
	mu      sync.Mutex
	running bool
	module  string   // the go.mod that the answer is for; "": there is none
	imports []string // that the answer is about
	files   string   // the directory of the answer in force
	before  string   // that of the one before, by which a build that has begun may go
}

// lookUp asks about the imports of the cell that has just been compiled, unless the last answer has them and still stands.
func (w *Workspace) lookUp() {
	dir := w.gonbModule()
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	wanted := importsOf(w.generatedCode())
	if dir == "" || err != nil || len(wanted) == 0 {
		return
	}
	l, module := &w.lookups, string(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.module != module {
		l.imports = cell.Usual()
	}
	missing := slices.DeleteFunc(wanted, func(path string) bool { return slices.Contains(l.imports, path) })
	_, err = os.Stat(w.lookedUp()) // the script removes it where a source has changed
	if l.running || (l.module == module && len(missing) == 0 && err == nil) {
		return
	}
	l.running, l.module, l.imports = true, module, append(l.imports, missing...)
	go func(imports []string) {
		files, err := w.find(dir, module, imports)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running = false
		if err != nil { // the next cell asks again
			l.module = ""
			os.RemoveAll(files)
			return
		}
		os.RemoveAll(l.before)
		l.before, l.files = l.files, files
	}(slices.Clone(l.imports))
}

// importsOf is what GoNB's program imports; the hidden first cell's imports flag alone.
func importsOf(code string) (paths []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", code, parser.ImportsOnly)
	if err != nil || len(file.Imports) < 2 {
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
	ImportPath, Dir, Export                         string
	Deps                                            []string
	EmbedFiles, CgoFiles, CFiles, SFiles, SysoFiles []string
	Module                                          *struct {
		GoMod   string
		Main    bool
		Replace *struct{}
	}
}

var errGoCommand = errors.New("only the go command builds with these settings")

// find asks the go command in GoNB's directory and leaves a file that the go script sources, and a directory with what that names. Left out
// are packages with C in them, and those of directories with files besides Go: what imports them is built by the go command.
func (w *Workspace) find(dir, module string, imports []string) (files string, err error) {
	if files, err = os.MkdirTemp(w.directory.Path, "lookup-"); err != nil {
		return "", err
	}
	before := filepath.Join(files, "go.mod") // a source that is newer is not what was looked up
	if err := os.WriteFile(before, []byte(module), 0o600); err != nil {
		return files, err
	}
	tools, language, err := w.toolsFor(dir)
	if err != nil {
		return files, err
	}
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,Deps,EmbedFiles,CgoFiles,CFiles,SFiles,SysoFiles,Module",
		"runtime"}
	text, err := w.ask(dir, append(args, imports...)...)
	if err != nil {
		return files, err
	}
	sources, refused := []string{before}, []string{"runtime/cgo"}
	isRefused := func(path string) bool { return slices.Contains(refused, path) }
	var direct, all strings.Builder
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var p listedPackage
		if err := decoder.Decode(&p); err != nil {
			return files, err
		}
		if p.Module != nil && (p.Module.Main || p.Module.Replace != nil) {
			sources = append(sources, p.Dir, p.Module.GoMod)
			if len(p.EmbedFiles)+len(p.CgoFiles)+len(p.CFiles)+len(p.SFiles)+len(p.SysoFiles) > 0 {
				refused = append(refused, p.ImportPath)
			}
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
	environment := strings.Join([]string{goFlags(), os.Getenv("GOOS"), os.Getenv("GOARCH"), os.Getenv("CGO_ENABLED")}, " ")
	slices.Sort(sources)
	settings := "tools=" + quoted(tools) + "\nlanguage=" + quoted(language) + "\nfiles=" + quoted(files) +
		"\nenvironment=" + quoted(environment) + "\nsources=" + quoted(strings.Join(slices.Compact(sources), "\n")) + "\n"
	for name, text := range map[string]string{"imports": direct.String(), "packages": all.String(), "settings": settings} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			return files, err
		}
	}
	return files, os.Rename(filepath.Join(files, "settings"), w.lookedUp()) // whole or not there
}

// toolsFor is the directory of the compiler and the linker, and the version of the language. It fails where the user has settings of Go
// that change what they are called with.
func (w *Workspace) toolsFor(dir string) (tools, language string, err error) {
	changed, err := w.ask(dir, "env", "-changed")
	if err != nil {
		return "", "", err
	}
	harmless := strings.Fields("GOFLAGS GOPROXY GOSUMDB GONOSUMDB GOPRIVATE GONOPROXY GOMODCACHE GOCACHE GOPATH GOBIN GOTMPDIR GOTELEMETRY " +
		"GOTOOLCHAIN GOWORK GOENV GOAUTH GOINSECURE")
	for line := range strings.Lines(string(changed)) {
		if name, _, found := strings.Cut(line, "="); found && !slices.Contains(harmless, name) {
			return "", "", errGoCommand
		}
	}
	for flag := range strings.FieldsSeq(os.Getenv("GOFLAGS")) {
		if !slices.Contains([]string{"-modcacherw", "-mod=mod", "-buildvcs=false"}, flag) {
			return "", "", errGoCommand
		}
	}
	about, err := w.ask(dir, "list", "-f", "{{.Module.GoVersion}} {{.DefaultGODEBUG}}", ".")
	version := strings.Fields(string(about))
	if err != nil || len(version) != 1 { // an older version has other defaults
		return "", "", errGoCommand
	}
	where, err := w.ask(dir, "env", "GOTOOLDIR")
	return strings.TrimSpace(string(where)), goversion.Lang("go" + version[0]), err
}

// ask asks the go command, out of the way of cells.
func (w *Workspace) ask(dir string, args ...string) ([]byte, error) {
	command := exec.CommandContext(w.life, "nice", append([]string{w.Tools.Go}, args...)...)
	command.Dir, command.Env = dir, append(bareEnvironment(), "PATH="+os.Getenv("PATH"), "GOFLAGS="+goFlags(), "PWD="+dir)
	return command.Output()
}

// quoted is a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func (w *Workspace) lookedUp() string { return filepath.Join(w.directory.Path, "looked-up") }
