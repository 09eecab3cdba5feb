package gonb

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/internal/process"
)

//go:embed go.sh
var goScript string

//go:embed watched.sh
var watchedScript string

// goplsScript replaces gopls on GoNB's PATH. GoNB would start a second gopls,
// which the kernel doesn't use.
const goplsScript = "#!/bin/sh\ncase $1 in -listen) exit 0 ;; esac\nexec \"${FSNET_REAL_GOPLS:-/nonexistent/gopls}\" \"$@\"\n"

// goimportsScript runs goimports with the settings of cells.
const goimportsScript = "#!/bin/sh\n. \"$FSNET_SETTINGS\"\nexec \"$FSNET_REAL_GOIMPORTS\" \"$@\"\n"

// Workspace is a private directory for one kernel's Go cells. It outlives a
// restart of GoNB.
type Workspace struct {
	Tools  Tools
	Source string // directory of the packages fsnetlab/…, or ""

	directory *process.Directory // for programs and files
	sockets   string             // a directory with a short path
	// Name is the base name of the kernel's connection file. GoNB reads the
	// kernel's id from it.
	name     string
	cells    string // the kernel's socket for cells
	silence  time.Duration
	settings goSettings

	mu        sync.Mutex
	variables *process.Variables // for GoNB; nil for none
	cwd       string             // the working directory of cells
	moduleDir string             // the directory in which GoNB compiles; "" before GoNB has made it

	life context.Context // ends with Close
	end  context.CancelFunc
}

// Options are the options of NewWorkspace.
type Options struct {
	Home           string             // where FsNet is installed; "" means system.Home()
	ConnectionFile string             // of the kernel
	Sockets        string             // an existing private directory with a short path, for Unix sockets
	CellSocket     string             // $FSNET_SOCKET for cells
	Silence        time.Duration      // time after which a silent GoNB is given up; 0 means process.Silence
	Directory      string             // the first working directory of cells
	Variables      *process.Variables // for GoNB, in addition to those of this process
}

const workspacePrefix = "fsnet-cells-"

// NewWorkspace finds the tools and makes the directory. It also removes
// directories of kernels that were killed. The caller must call Close.
func NewWorkspace(o Options) (*Workspace, error) {
	if o.Home == "" {
		o.Home = system.Home()
	}

	tools, err := FindTools(o.Home)
	if err != nil {
		return nil, err
	}

	directory, err := process.NewDirectory(os.TempDir(), workspacePrefix)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "make it writable, or set TMPDIR to a directory that is", "no temporary directory for Go cells")
	}

	w := &Workspace{
		Tools: tools, Source: FindSource(o.Home), directory: directory, sockets: o.Sockets,
		name: filepath.Base(o.ConnectionFile), cells: o.CellSocket, cwd: o.Directory, variables: o.Variables, silence: cmp.Or(o.Silence, process.Silence),
	}

	w.life, w.end = context.WithCancel(context.Background())
	w.settings = newGoSettings(w.life, w.Tools.Go, directory.Path)
	if err := w.Restore(); err != nil {
		w.Close()
		return nil, err
	}

	return w, nil
}

// Restore recreates what another program has removed from the directory. An
// error of kind Failed means that this is impossible, or that programs can't
// run there.
func (w *Workspace) Restore() error {
	err := w.directory.Restore()
	if err == nil {
		err = w.fill()
	}

	if err == nil {
		err = w.restoreModule()
	}

	if err != nil {
		return errs.Wrap(err, errs.Failed, "free some space, or restart the kernel with TMPDIR set to a directory that has some",
			"the directory %s for Go cells cannot be filled", w.directory.Path)
	}

	if unix.Access(w.watchScript(), unix.X_OK) != nil {
		return errs.New(errs.Failed, "restart the kernel with TMPDIR set to a directory whose file system is not mounted noexec",
			"programs in the temporary directory %s cannot be executed", filepath.Dir(w.directory.Path))
	}

	return nil
}

// restoreModule recreates the directory where GoNB compiles, if it was removed.
// Its go.mod is then as before the first cell, and the next build adds the
// requirements of the remembered cells.
func (w *Workspace) restoreModule() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if found := w.findModule(); found != "" || w.moduleDir == "" {
		w.moduleDir = found
		return nil
	}
	if err := os.MkdirAll(w.moduleDir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.moduleDir, "go.mod"), []byte(w.module()), 0o600)
}

// file is the content of a file of the workspace.
type file struct {
	text string
	mode os.FileMode
}

// files returns the files of the workspace by path.
func (w *Workspace) files() map[string]file {
	return map[string]file{
		filepath.Join(w.bin(), "go"):        {goScript, 0o700},
		filepath.Join(w.bin(), "gopls"):     {goplsScript, 0o700},
		filepath.Join(w.bin(), "goimports"): {goimportsScript, 0o700},
		w.watchScript():                     {watchedScript, 0o700},
		w.moduleFile():                      {w.module(), 0o600},
		w.settingsFile():                    {w.settings.script(), 0o600},
	}
}

// fill writes the files that are missing.
func (w *Workspace) fill() error {
	for _, dir := range []string{w.bin(), w.temp()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, f := range w.files() {
		if _, err := os.Stat(name); err == nil {
			continue // a program may be reading it
		}
		if err := os.WriteFile(name, []byte(f.text), f.mode); err != nil {
			os.Remove(name) //nolint:errcheck // it may be incomplete
			return err
		}
	}
	return nil
}

func (w *Workspace) bin() string          { return filepath.Join(w.directory.Path, "bin") }
func (w *Workspace) temp() string         { return filepath.Join(w.directory.Path, "tmp") }
func (w *Workspace) moduleFile() string   { return filepath.Join(w.directory.Path, "module") }
func (w *Workspace) settingsFile() string { return filepath.Join(w.directory.Path, "settings") }
func (w *Workspace) watchScript() string  { return filepath.Join(w.directory.Path, "watched") }
func (w *Workspace) gonbFile() string     { return filepath.Join(w.directory.Path, "gonb.pid") }

// module returns the first go.mod of cells.
func (w *Workspace) module() string {
	_, version := readModule(w.Source)
	if w.Source == "" || version == "" {
		return "module cells\n\ngo 1.26\n"
	}
	return fmt.Sprintf("module cells\n\ngo %s\n\nrequire %s v0.0.0\n\nreplace %s => %q\n",
		version, modulePath, modulePath, w.Source)
}

// KeepsOwnCache reports whether the build cache belongs to this kernel only.
func (w *Workspace) KeepsOwnCache() bool {
	return slices.ContainsFunc(w.settings.own, func(e string) bool { return strings.HasPrefix(e, "GOCACHE=") })
}

// IgnoredSettings returns the user's settings of the go command that have no
// effect on cells, as NAME=value.
func (w *Workspace) IgnoredSettings() []string { return w.settings.ignored }

// without removes the named variables from environment.
func without(environment []string, names ...string) []string {
	return slices.DeleteFunc(environment, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(names, name)
	})
}

// environment returns GoNB's environment. Cells inherit it. It omits
// FSNET_KEEP, because that may be set for the kernel.
func (w *Workspace) environment() []string {
	path := []string{w.bin(), filepath.Dir(w.Tools.Goimports), filepath.Dir(w.Tools.Go)}
	return append(append(without(w.variables.Environment(), "PATH", "TMPDIR", "FSNET_KEEP"), w.settings.own...),
		"PATH="+strings.Join(path, string(os.PathListSeparator))+string(os.PathListSeparator)+os.Getenv("PATH"),
		"TMPDIR="+w.temp(),
		"GOMLX_NO_AUTO_INSTALL=1", // in every cell that links it, go-xla would look for a plugin on the network
		"FSNET_SOCKET="+w.cells,
		"FSNET_REAL_GO="+w.Tools.Go, "FSNET_REAL_GOIMPORTS="+w.Tools.Goimports, "FSNET_REAL_GOPLS="+w.Tools.Gopls,
		"FSNET_MODULE="+w.moduleFile(), "FSNET_SETTINGS="+w.settingsFile(), "FSNET_BUILDS="+filepath.Join(w.temp(), "gonb_"),
		"FSNET_WATCHED="+w.watchScript(), "FSNET_KERNEL_PID="+strconv.Itoa(os.Getpid()))
}

// prelude returns the hidden first cell. It imports those of our packages that
// are installed. GoNB drops the imports from cells that don't use them. The
// prelude also keeps GoNB from running go get before each build, because the go
// script does so if a package is missing.
func (w *Workspace) prelude() string {
	text := "%noautoget\n"
	for _, folder := range []string{"fsnet/session", "widgets"} {
		if _, err := os.Stat(filepath.Join(w.Source, folder)); w.Source != "" && err == nil {
			path := " \"" + modulePath + "/" + folder + "\"\n"
			text += "import" + path
			if folder == "widgets" {
				text += "import " + cell.ShowPackage + path
			}
		}
	}
	return text + "%%\n"
}

// Package returns the package that the first cell would be compiled in. See
// [Child.Package].
func (w *Workspace) Package(code string) (own, remembered string, first int) {
	prelude, _ := declarations(cell.Compose(w.prelude()).Text)
	return packageOf(code, prelude)
}

// Directory returns the path of the private directory.
func (w *Workspace) Directory() string { return w.directory.Path }

// WorkingDirectory returns the working directory of cells. It outlives GoNB.
func (w *Workspace) WorkingDirectory() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cwd
}

// moveTo sets the working directory of cells, unless directory is empty.
func (w *Workspace) moveTo(directory string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cwd = cmp.Or(directory, w.cwd)
}

// Close removes the directory.
func (w *Workspace) Close() error {
	w.end()
	return w.directory.Remove()
}

// tidy removes the module, pipes and sockets of a GoNB that has ended.
func (w *Workspace) tidy() {
	w.mu.Lock()
	w.moduleDir = ""
	w.mu.Unlock()
	for _, path := range append(process.Beginning(w.temp(), "gonb_"), process.Beginning(w.sockets, socketName+"-")...) {
		os.RemoveAll(path) //nolint:errcheck // Close removes the rest
	}
}

// socketName is the prefix of GoNB's sockets, and pipePrefix that of the two
// pipes of each cell.
const socketName, pipePrefix = "g", "gonb_pipe_"

// ExplainDirectory returns the directory for gopls, a copy of the module of
// cells. changed lists the files that have changed since the last call, such as
// go.mod after a cell has added a module.
func (w *Workspace) ExplainDirectory() (dir string, changed []string, err error) {
	dir = filepath.Join(w.directory.Path, "explain")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}

	from := w.findModule()

	for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if from == "" || err != nil {
			if name != "go.mod" {
				continue
			}
			text = []byte(w.module())
		}

		file := filepath.Join(dir, name)
		if had, err := os.ReadFile(file); err == nil && bytes.Equal(had, text) {
			continue
		}

		if err := os.WriteFile(file, text, 0o600); err != nil {
			return "", nil, err
		}
		changed = append(changed, name)
	}
	return dir, changed, nil
}

// ExplainEnvironment returns the environment of gopls: the real go command,
// with the settings of cells.
func (w *Workspace) ExplainEnvironment() []string {
	// TMPDIR is in the workspace, so that Close removes the remains of killed
	// go commands.
	return append(w.settings.environment(without(os.Environ(), "PATH", "TMPDIR")), "TMPDIR="+w.temp(), "PATH="+filepath.Dir(w.Tools.Go)+
		string(os.PathListSeparator)+os.Getenv("PATH"))
}

// findModule returns the directory where GoNB compiles, or "".
func (w *Workspace) findModule() string {
	for _, dir := range process.Beginning(w.temp(), "gonb_") {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	return ""
}
