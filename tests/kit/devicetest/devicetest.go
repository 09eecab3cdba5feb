package devicetest

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
)

// only names the environment variable with the one backend to test.
// ./install.sh test gpu sets it.
const only = "FSNET_TEST_BACKEND"

// Backend returns the name of the backend that a test trains on if it needs
// only one.
func Backend(t testing.TB) string {
	t.Helper()
	return All(t)[0].Name
}

// Opened returns every backend of this machine, opened once, so that trainings
// of one shape share their compiled programs. The Go backend is always among
// them, unless the tests use only another one.
var Opened = sync.OnceValues(func() ([]*device.Device, error) {
	if name := os.Getenv(only); name != "" {
		d, err := device.Open(context.Background(), name)
		return []*device.Device{d}, err
	}
	var list []*device.Device
	for _, name := range []string{"xla:cpu", "xla:cuda", "go"} {
		if name != "go" && device.FindPlugin(name) == "" {
			continue
		}
		d, err := device.Open(context.Background(), name)
		if name == "xla:cuda" && errs.Is(err, errs.Unavailable) { // installed on a machine without a GPU; All says so
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
})

// All lists the backends of this machine, fastest first, and logs the missing
// ones.
func All(t testing.TB) []*device.Device {
	t.Helper()
	list, err := Opened()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"xla:cpu", "xla:cuda"} {
		if os.Getenv(only) != "" {
			break
		}
		if device.FindPlugin(name) == "" {
			t.Logf("NOT TESTED on %s: no plugin (./install.sh installs one)", name)
		} else if !slices.ContainsFunc(list, func(d *device.Device) bool { return d.Name == name }) {
			t.Logf("NOT TESTED on %s: it cannot be used here (fsnet doctor says why)", name)
		}
	}
	return list
}
