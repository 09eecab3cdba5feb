//go:build cgo

package device

import (
	"sync"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/xlaplugin"
)

// hasXLA reports whether this program can load a PJRT plugin. That takes
// cgo.
const hasXLA = true

// openXLA loads the plugin at a path and sets the backend. go-xla reads
// options as a suffix of the path. remedy ends the error.
func (d *Device) openXLA(plugin, options, remedy string) error {
	// Otherwise the installer of go-xla would access the network at every
	// start.
	xla.EnableAutoInstall(false)
	loading.Lock()
	defer loading.Unlock()
	keepPrograms(plugin, d.Name == "xla:cuda")
	backend, err := xla.NewWithOptions(plugin+options, d.clientOptions())
	if err != nil && d.Name == "xla:cpu" { // an older plugin may not know this option
		backend, err = xla.NewWithOptions(plugin+options, nil)
	}
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, remedy, "the PJRT plugin %s does not start", d.Plugin)
	}
	d.backend = backend
	return nil
}

// clientOptions returns options for the client of the plugin, or nil on a
// GPU. XLA's CPU client has as many threads as it pretends to have devices,
// and the default is four. On two cores they would wait for one another, and
// on one core a training would take a third longer.
func (d *Device) clientOptions() pjrt.NamedValuesMap {
	if d.Name != "xla:cpu" {
		return nil
	}
	return pjrt.NamedValuesMap{"cpu_device_count": int64(1)}
}

// loading must be locked while a plugin is loaded, because go-xla registers
// ours without a lock. kept holds the plugins that were registered.
var loading = struct { //nolint:gochecknoglobals // a plugin is loaded once in a process, and go-xla keeps it by its path
	sync.Mutex
	kept map[string]bool
}{kept: map[string]bool{}}

// keepPrograms registers a wrapper of the plugin that keeps on disk what it
// compiles, once for each path. If that fails, go-xla loads the plugin
// itself. The caller must hold the lock of loading.
func keepPrograms(plugin string, cuda bool) {
	if loading.kept[plugin] {
		return
	}
	store, err := ProgramStore()
	if err != nil {
		return
	}
	table, err := xlaplugin.Wrap(plugin, cuda, store)
	if err != nil {
		return
	}
	loading.kept[plugin] = true
	_ = pjrt.RegisterPreloadedPlugin(plugin, table) // fails only if the plugin itself would
}
