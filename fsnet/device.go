package fsnet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/go-xla/compute/xla"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/home"
)

// Backends lists the values of the key backend but auto, the best first.
func Backends() []string { return []string{"xla:cuda", "xla:cpu", "go"} }

// Device is where graphs run, with the programs compiled for it. It may be shared by trainings and goroutines.
type Device struct {
	Name        string // xla:cuda · xla:cpu · go
	Description string // the hardware, for people
	Reason      string // why this one was taken, in words
	Plugin      string // path of the PJRT plugin; "" for go

	backend  compute.Backend
	loops    bool // whole chunks in one call
	mu       sync.Mutex
	programs map[string]*programs
}

// OpenDevice opens a backend by name. auto takes the first of Backends that works and says in Reason what it passed over.
func OpenDevice(ctx context.Context, name string) (*Device, error) {
	if name != "auto" && name != "" {
		return openNamed(name, "asked for by name")
	}
	var passed []string
	for _, candidate := range Backends() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if candidate != "go" && FindPlugin(candidate) == "" {
			passed = append(passed, candidate+" has no plugin")
			continue
		}
		d, err := openNamed(candidate, "")
		if err != nil {
			passed = append(passed, candidate+" failed: "+firstLine(err.Error()))
			continue
		}
		d.Reason = "the best that works here"
		if len(passed) > 0 {
			d.Reason = "the best that works here: " + strings.Join(passed, "; ")
		}
		return d, nil
	}
	return nil, fault.New(fault.Unavailable, "run fsnet doctor", "no backend works: %s", strings.Join(passed, "; "))
}

func openNamed(name, reason string) (*Device, error) {
	d := &Device{Name: name, Reason: reason, programs: map[string]*programs{}}
	err := guardPanic(func() error {
		var err error
		switch name {
		case "go":
			d.backend, err = gobackend.New("")
			d.Description = fmt.Sprintf("GoMLX's Go backend, %d cores (about ten times slower than XLA)", runtime.NumCPU())
		case "xla:cpu", "xla:cuda":
			err = d.openXLA(name)
		default:
			err = fault.New(fault.Request, "choose one of auto, "+strings.Join(Backends(), ", "), "backend = %q is not known", name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Device) openXLA(name string) error {
	d.Plugin = FindPlugin(name)
	if d.Plugin == "" {
		return fault.New(fault.Unavailable, "./install.sh fetches one, or take backend=go",
			"backend = %s has no PJRT plugin in %s", name, strings.Join(PluginDirectories(), ", "))
	}
	// The installer of go-xla would otherwise ask the network at every start.
	xla.EnableAutoInstall(false)
	options := d.Plugin
	if name == "xla:cuda" {
		options += ",tf32=false"
	}
	backend, err := xla.New(options)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "run fsnet doctor, or take backend=go", "the PJRT plugin %s does not start", d.Plugin)
	}
	d.backend, d.loops = backend, true
	d.Description = fmt.Sprintf("XLA on %s", strings.TrimPrefix(name, "xla:"))
	if name == "xla:cpu" {
		d.Description = fmt.Sprintf("XLA on %d CPU cores", runtime.NumCPU())
	} else if s, ok := backend.(interface {
		DeviceDescription(compute.DeviceNum) string
	}); ok {
		d.Description = "XLA on " + s.DeviceDescription(0)
	}
	return nil
}

// PluginDirectories lists where PJRT plugins are looked for, in order.
func PluginDirectories() []string {
	var list []string
	if path := os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"); path != "" {
		list = append(list, filepath.SplitList(path)...)
	}
	if dir := home.Directory(); dir != "" {
		list = append(list, filepath.Join(dir, "pjrt"))
	}
	if user, err := os.UserHomeDir(); err == nil {
		list = append(list, filepath.Join(user, ".local", "lib", "go-xla"))
	}
	return append(list, "/usr/local/lib/go-xla")
}

// FindPlugin is the path of the PJRT plugin for xla:cpu or xla:cuda, or "". The newest name in the first directory that has one wins.
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

// Backend is GoMLX's handle of the device, for building other graphs on it.
func (d *Device) Backend() compute.Backend { return d.backend }

// Close frees the device. Trainings that use it must be closed before.
func (d *Device) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.programs = nil
	if d.backend != nil {
		d.backend.Finalize()
		d.backend = nil
	}
}

// programsFor compiles lazily and once an architecture.
func (d *Device) programsFor(a Architecture) (*programs, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, ok := d.programs[a.key()]; ok {
		return p, nil
	}
	if d.backend == nil {
		return nil, fault.New(fault.Unavailable, "open it again", "the device %s is closed", d.Name)
	}
	p, err := newPrograms(d.backend, a, d.loops)
	if err != nil {
		return nil, err
	}
	d.programs[a.key()] = p
	return p, nil
}

// guardPanic turns a panic of a library into an error.
func guardPanic(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.New(fault.Unavailable, "run fsnet doctor", "the backend stopped while it was opened: %v", r)
		}
	}()
	return work()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
