package replica

import (
	"math"
	"os"
	"os/exec"
	"runtime"

	"fsnetlab/fsnet/device"
	"fsnetlab/internal/cgroup"
)

// machine is what this process may compute with.
type machine struct {
	cores []int   // it may run on; nil where nobody says
	quota float64 // cores' time, on whichever cores; 0: no limit
}

func thisMachine() machine { return machine{cores(), cgroup.Quota(os.DirFS("/"))} }

// workers is how many of one thread each keep it busy.
func (m machine) workers() int {
	count := runtime.GOMAXPROCS(0) // knows of cores and limits, but is 2 at least where there are two cores
	if m.quota > 0 {
		count = min(count, int(math.Ceil(m.quota)))
	}
	return count
}

// pinned are the cores that workers are bound to, each to one; nil: they are left to the system. Where a quota leaves less than all cores
// others compute on them, too, and a worker that is bound to one waits while the next one is idle.
func (m machine) pinned() []int {
	if m.quota > 0 && m.quota < float64(len(m.cores)) {
		return nil
	}
	return m.cores
}

// oneThread makes a worker that is not bound to a core use one thread all the same, which changes no bit.
func oneThread(c *exec.Cmd) {
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Env = append(c.Env, device.OneThread)
}
