package fsnet

import (
	"context"
	"slices"
	"sync"
	"testing"

	"fsnetlab/fsnet/fault"
)

// opened holds every backend at hand, opened once: trainings of one shape share their compiled programs. The Go backend is always there.
var opened = sync.OnceValues(func() ([]*Device, error) {
	var list []*Device
	for _, name := range []string{"xla:cpu", "xla:cuda", "go"} {
		if name != "go" && FindPlugin(name) == "" {
			continue
		}
		d, err := OpenDevice(context.Background(), name)
		if name == "xla:cuda" && fault.Is(err, fault.Unavailable) { // installed on a machine without a GPU; devices says so
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
})

// devices lists the backends at hand, the fastest first, and says which ones are not.
func devices(t testing.TB) []*Device {
	t.Helper()
	list, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"xla:cpu", "xla:cuda"} {
		if FindPlugin(name) == "" {
			t.Logf("NOT TESTED on %s: no plugin (./install.sh installs one)", name)
		} else if !slices.ContainsFunc(list, func(d *Device) bool { return d.Name == name }) {
			t.Logf("NOT TESTED on %s: it cannot be used here (fsnet doctor says why)", name)
		}
	}
	return list
}
