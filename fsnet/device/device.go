package device

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/internal/xlaplugin"
)

// Backends lists the values of the key backend except auto, the best first.
func Backends() []string { return []string{"xla:cuda", "xla:cpu", "go"} }

// Device runs graphs and holds the programs compiled for it. Trainings and
// goroutines may share it.
type Device struct {
	Name        string // one of "xla:cuda", "xla:cpu" or "go"
	Description string // describes the hardware to users
	Reason      string // says why this backend was chosen
	Plugin      string // path of the PJRT plugin; "" for go

	backend  compute.Backend
	programs *programCache
	lane     *lane // nil: calls are made alone
}

// Open opens a backend by name. For auto or "" it opens the first of
// [Backends] that works, and Reason says why it passed over the ones before
// it. The error is of kind Unavailable if the backend cannot be used on this
// machine, and of kind Request for an unknown name, or for a variable XLA_FLAGS
// that XLA would not understand.
func Open(ctx context.Context, name string) (*Device, error) {
	if name != "auto" && name != "" {
		return openNamed(name, "asked for by name")
	}
	var skipped []string
	for _, candidate := range Backends() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if candidate != "go" && !hasXLA {
			skipped = append(skipped, candidate+" is not in this fsnet, which was built without a C compiler")
			continue
		}
		if candidate != "go" && FindPlugin(candidate) == "" {
			skipped = append(skipped, candidate+" has no plugin")
			continue
		}
		d, err := openNamed(candidate, "")
		if errs.Is(err, errs.Request) { // a wrong variable: another backend would hide it, and may be ten times slower
			return nil, err
		}
		if err != nil {
			why, _, _ := strings.Cut(strings.TrimPrefix(errs.Of(err).What, "backend = "+candidate+": "), "\n")
			skipped = append(skipped, candidate+" cannot be used: "+why)
			continue
		}
		d.Reason = "the best that works here"
		if len(skipped) > 0 {
			d.Reason = "the best that works here: " + strings.Join(skipped, "; ")
		}
		return d, nil
	}
	return nil, errs.New(errs.Unavailable, "run fsnet doctor", "no backend works: %s", strings.Join(skipped, "; "))
}

// openNamed opens one backend. reason says why it was chosen. If a library
// panics, openNamed returns an error.
func openNamed(name, reason string) (*Device, error) {
	d := &Device{Name: name, Reason: reason, programs: new(programCache)}
	err := guardPanic(func() error {
		var err error
		switch name {
		case "go":
			// One operation at a time, each on all cores. Concurrent
			// products would hold all workers of the one pool and wait for
			// ever for more.
			d.backend, err = gobackend.New("ops_sequential")
			d.Description = fmt.Sprintf("GoMLX's Go backend, %s (about ten times slower than XLA)", phrase.Count(runtime.NumCPU(), "core"))
		case "xla:cpu", "xla:cuda":
			switch {
			case !hasXLA:
				err = d.withoutXLA()
			case name == "xla:cpu":
				err = d.openCPU()
			default:
				err = d.openCUDA()
			}
		default:
			err = errs.New(errs.Request, "choose one of auto, "+strings.Join(Backends(), ", "), "backend = %q is not known", name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Backend returns the GoMLX backend of the device, which you need to build
// other graphs on it. It is nil after Close.
func (d *Device) Backend() compute.Backend { return d.backend }

// Close frees the device and its programs. The caller must first close the
// trainings that use it. A second call does nothing.
func (d *Device) Close() {
	d.programs.close()
	if d.backend != nil {
		d.backend.Finalize()
		d.backend = nil
	}
}

// guardPanic turns a panic of a library into an error.
func guardPanic(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errs.New(errs.Unavailable, "run fsnet doctor", "the backend stopped while it was opened: %v", r)
		}
	}()
	return work()
}

// openCPU opens XLA on the processor. It first checks everything that would
// make XLA end the process.
func (d *Device) openCPU() error {
	if d.Plugin = FindPlugin(d.Name); d.Plugin == "" {
		return noPlugin(d.Name, "./install.sh fetches one, or use backend=go")
	}
	if _, err := userFlags(d.Name, d.Plugin); err != nil {
		return err
	}
	if err := d.openXLA(d.Plugin, "", "run fsnet doctor, or use backend=go"); err != nil {
		return err
	}
	d.Description = fmt.Sprintf("XLA on %d CPU cores", runtime.NumCPU())
	return nil
}

// withoutXLA returns the error of a program that cannot load a plugin.
func (d *Device) withoutXLA() error {
	return errs.New(errs.Unavailable, "use backend=go, or build fsnet on this machine with a C compiler: ./install.sh in a clone",
		"backend = %s: this fsnet was built without a C compiler, and therefore without XLA", d.Name)
}

func noPlugin(name, remedy string) error {
	return errs.New(errs.Unavailable, remedy, "backend = %s has no PJRT plugin in %s", name, strings.Join(PluginDirectories(), ", "))
}

// OneThread, in the environment of a process, limits XLA's CPU client to one
// thread. n trainings on n cores with one thread each finish sooner than one
// training after the other on all cores.
const OneThread = "PJRT_NPROC=1"

// PluginDirectories lists the directories where we look for PJRT plugins, in
// order.
func PluginDirectories() []string {
	var list []string
	if path := os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"); path != "" {
		list = append(list, filepath.SplitList(path)...)
	}
	if dir := system.Prefix(); dir != "" {
		list = append(list, filepath.Join(dir, "share", "fsnetlab", "pjrt"))
	}
	if dir := system.Home(); dir != "" {
		list = append(list, filepath.Join(dir, "pjrt"), filepath.Join(dir, "cuda", "plugin"))
	}
	if user, err := os.UserHomeDir(); err == nil {
		list = append(list, filepath.Join(user, ".local", "lib", "go-xla"))
	}
	return append(list, "/usr/local/lib/go-xla")
}

// FindPlugin returns the path of the PJRT plugin for xla:cpu or xla:cuda, or
// "". It is the newest by name in the first directory that has one.
func FindPlugin(name string) string {
	kind := strings.TrimPrefix(name, "xla:")
	for _, dir := range PluginDirectories() {
		found, err := filepath.Glob(filepath.Join(dir, "pjrt_c_api_"+kind+"*plugin.*"))
		if err != nil {
			continue
		}
		found = slices.DeleteFunc(found, func(path string) bool {
			return !slices.Contains([]string{".so", ".dylib"}, filepath.Ext(path))
		})
		if len(found) > 0 {
			return slices.Max(found)
		}
	}
	return ""
}

// Upload copies numbers to the device right away. A tensor that stays on the
// host until its first use would hold a second copy.
func (d *Device) Upload(data []float32, dims ...int) (*tensors.Tensor, error) {
	t, err := tensors.FromRaw(d.backend, 0, shapes.Make(dtypes.Float32, dims...), dtypes.UnsafeByteSliceFromAny(data))
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "choose fewer features, rows or selectors, or another backend",
			"%s has no room for %d×%d numbers", d.Name, dims[0], dims[len(dims)-1])
	}
	return t, nil
}

// Free releases device memory now. The garbage collector doesn't see that
// memory, so the next collection may be far away. Nil tensors, and those
// already released, are ignored.
func Free(list ...*tensors.Tensor) {
	for _, t := range list {
		if t != nil {
			_ = t.FinalizeAll()
		}
	}
}

// ProgramsVariable is the environment variable that names the directory of
// compiled programs. With the value off, they are not kept.
const ProgramsVariable = "FSNET_PROGRAMS"

// ProgramStore returns the store that keeps XLA's compiled programs on disk
// for later processes. It is in the user's cache, or in the directory that
// FSNET_PROGRAMS names. The error says why programs are not kept.
func ProgramStore() (*xlaplugin.Store, error) {
	directory := os.Getenv(ProgramsVariable)
	switch {
	case directory == "off":
		return nil, errs.New(errs.Unavailable, "unset it to keep them", "none are kept: %s=off", ProgramsVariable)
	case directory == "":
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, errs.Wrap(err, errs.Unavailable, "set HOME, or name a directory in "+ProgramsVariable, "none are kept")
			}
			cache = filepath.Join(home, ".cache")
		}
		directory = filepath.Join(cache, "fsnet", "programs")
	case !filepath.IsAbs(directory):
		return nil, errs.New(errs.Request, "name it from the root, or write off", "%s = %q is no absolute path", ProgramsVariable, directory)
	}
	store, err := xlaplugin.OpenStore(directory)
	if err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "name a directory of yours in "+ProgramsVariable, "none are kept")
	}
	return store, nil
}
