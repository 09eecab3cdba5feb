package device

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"

	"fsnetlab/fsnet/fault"
)

// openCPU opens XLA on the processor.
func (d *Device) openCPU() error {
	if d.Plugin = FindPlugin(d.Name); d.Plugin == "" {
		return noPlugin(d.Name, "./install.sh fetches one, or take backend=go")
	}
	if err := d.openXLA(d.Plugin, "run fsnet doctor, or take backend=go"); err != nil {
		return err
	}
	d.Description = fmt.Sprintf("XLA on %d CPU cores", runtime.NumCPU())
	return nil
}

func noPlugin(name, remedy string) error {
	return fault.New(fault.Unavailable, remedy, "backend = %s has no PJRT plugin in %s", name, strings.Join(PluginDirectories(), ", "))
}

// openXLA loads a plugin; options are the plugin's path and what go-xla takes after a comma.
func (d *Device) openXLA(options, remedy string) error {
	// The installer of go-xla would otherwise ask the network at every start.
	xla.EnableAutoInstall(false)
	backend, err := xla.NewWithOptions(options, d.clientOptions())
	if err != nil && d.Name == "xla:cpu" { // a plugin that knows no such option
		backend, err = xla.NewWithOptions(options, nil)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, remedy, "the PJRT plugin %s does not start", d.Plugin)
	}
	d.backend = backend
	return nil
}

// clientOptions are what the plugin's client is made with. XLA's CPU client has as many threads as it pretends to have devices, four if
// nobody says so: on two cores they wait for one another, and a worker pinned to one core takes a third longer.
func (d *Device) clientOptions() pjrt.NamedValuesMap {
	if d.Name != "xla:cpu" {
		return nil
	}
	return pjrt.NamedValuesMap{"cpu_device_count": int64(1)}
}

// OneThread, in the environment of a process, keeps XLA's CPU client to one thread: n such processes on n cores do more than one with n.
const OneThread = "PJRT_NPROC=1"
