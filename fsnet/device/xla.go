//go:build cgo

package device

import (
	"sync"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/xlaplugin"
)

// hasXLA reports whether this program can load a PJRT plugin, which takes cgo.
const hasXLA = true

// openXLA loads the plugin at a path and sets the backend. options are appended to the path, as
// go-xla reads them; remedy ends the error.
func (d *Device) openXLA(plugin, options, remedy string) error {
	// Otherwise the installer of go-xla accesses the network at every start.
	xla.EnableAutoInstall(false)
	loading.Lock()
	defer loading.Unlock()
	keepPrograms(plugin, d.Name == "xla:cuda")
	backend, err := xla.NewWithOptions(plugin+options, d.clientOptions())
	if err != nil && d.Name == "xla:cpu" { // an older plugin knows no such option
		backend, err = xla.NewWithOptions(plugin+options, nil)
	}
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, remedy, "the PJRT plugin %s does not start", d.Plugin)
	}
	d.backend = backend
	return nil
}

// clientOptions returns options of the plugin's client, nil on a GPU. XLA's CPU client has as many
// threads as it pretends to have devices, four by default. On two cores they wait for one another,
// and a training on one core takes a third longer.
func (d *Device) clientOptions() pjrt.NamedValuesMap {
	if d.Name != "xla:cpu" {
		return nil
	}
	return pjrt.NamedValuesMap{"cpu_device_count": int64(1)}
}

// loading is locked while a plugin is loaded, because go-xla accepts ours without a lock. kept
// holds the plugins that were registered.
var loading = struct { //nolint:gochecknoglobals // a plugin is loaded once in a process, and go-xla keeps it by its path
	sync.Mutex
	kept map[string]bool
}{kept: map[string]bool{}}

// keepPrograms registers, once for a plugin's path, a wrapper of the plugin that keeps on disk what
// it compiles. If that fails, go-xla loads the plugin itself. The caller has locked loading.
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
