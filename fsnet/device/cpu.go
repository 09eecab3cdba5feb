package device

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/xlaflags"
)

// openCPU opens XLA on the processor.
func (d *Device) openCPU() error {
	if d.Plugin = FindPlugin(d.Name); d.Plugin == "" {
		return noPlugin(d.Name, "./install.sh fetches one, or use backend=go")
	}
	if _, err := xlaflags.User(os.Getenv(xlaFlags)); err != nil { // XLA would end the process
		return fault.Wrap(err, fault.Request, "correct or unset XLA_FLAGS", "backend = %s", d.Name)
	}
	if err := d.openXLA(d.Plugin, "run fsnet doctor, or use backend=go"); err != nil {
		return err
	}
	d.Description = fmt.Sprintf("XLA on %d CPU cores", runtime.NumCPU())
	return nil
}

// withoutXLA says that this program cannot load a plugin.
func (d *Device) withoutXLA() error {
	return fault.New(fault.Unavailable, "use backend=go, or build fsnet on this machine with a C compiler: ./install.sh in a clone",
		"backend = %s: this fsnet was built without a C compiler, and therefore without XLA", d.Name)
}

func noPlugin(name, remedy string) error {
	return fault.New(fault.Unavailable, remedy, "backend = %s has no PJRT plugin in %s", name, strings.Join(PluginDirectories(), ", "))
}

// OneThread, in the environment of a process, keeps XLA's CPU client to one thread: n such processes on n cores do more than one with n.
const OneThread = "PJRT_NPROC=1"
