//go:build cgo

package device

import (
	"sync"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/xlaplugin"
)

// hasXLA is whether this program can load a PJRT plugin, which takes C.
const hasXLA = true

// openXLA loads the plugin at a path; options are what go-xla takes after a comma.
func (d *Device) openXLA(plugin, options, remedy string) error {
	// The installer of go-xla would otherwise ask the network at every start.
	xla.EnableAutoInstall(false)
	loading.Lock()
	defer loading.Unlock()
	keepPrograms(plugin, d.Name == "xla:cuda")
	backend, err := xla.NewWithOptions(plugin+options, d.clientOptions())
	if err != nil && d.Name == "xla:cpu" { // a plugin that knows no such option
		backend, err = xla.NewWithOptions(plugin+options, nil)
	}
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, remedy, "the PJRT plugin %s does not start", d.Plugin)
	}
	d.backend = backend
	return nil
}

// clientOptions are what the plugin's client is made with. XLA's CPU client has as many threads as it pretends to have devices, four if
// nobody says so: on two cores they wait for one another, and a training on one core takes a third longer.
func (d *Device) clientOptions() pjrt.NamedValuesMap {
	if d.Name != "xla:cpu" {
		return nil
	}
	return pjrt.NamedValuesMap{"cpu_device_count": int64(1)}
}

// loading is held while a plugin is loaded: go-xla takes ours without a lock of its own. kept are the plugins that were handed to it.
var loading = struct { //nolint:gochecknoglobals // a plugin is loaded once in a process, and go-xla keeps it by its path
	sync.Mutex
	kept map[string]bool
}{kept: map[string]bool{}}

// keepPrograms has go-xla find, under a plugin's path, one that keeps on disk what it compiles. Where that cannot be, it finds the plugin.
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
	_ = pjrt.RegisterPreloadedPlugin(plugin, table) // fails where the plugin itself would
}
