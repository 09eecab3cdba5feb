package fsnet

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gomlx/go-xla/compute/xla"

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
	backend, err := xla.New(options)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, remedy, "the PJRT plugin %s does not start", d.Plugin)
	}
	d.backend, d.loops = backend, true
	return nil
}
