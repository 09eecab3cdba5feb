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

// only names, in the environment, the one backend that tests use. ./install.sh test gpu sets it.
const only = "FSNET_TEST_BACKEND"

// Backend is the name of the backend that a test trains on where one is enough.
func Backend(t testing.TB) string {
	t.Helper()
	return All(t)[0].Name
}

// Opened holds every backend at hand, opened once: trainings of one shape share their compiled programs. The Go backend is always there.
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
		if name == "xla:cuda" && errs.Is(err, errs.Unavailable) { // installed on a machine without a GPU; devices says so
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
})

// All lists the backends at hand, the fastest first, and says which ones are not.
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
