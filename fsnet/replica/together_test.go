package replica_test

import (
	"reflect"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/replica"
	"fsnetlab/fsnet/replica/replicatest"
)

// Within a tolerance, on the Go backend too: it multiplies many replicas in another way than few.
func TestTogether(t *testing.T) {
	for _, options := range []replicatest.Options{{Backend: "go", Tolerance: 1e-4}, {Backend: "auto", Tolerance: 1e-4}} {
		t.Run(options.Backend, func(t *testing.T) {
			if options.Backend == "auto" && fsnet.FindPlugin("xla:cpu") == "" {
				t.Skip("NOT TESTED: no plugin of XLA (./install.sh installs one)")
			}
			replicatest.Conform(t, options, func(*testing.T) replica.Runner { return &replica.Together{} })
		})
	}
}

// However many go at a time, and on whatever device that is open, each replica is the same.
func TestTogetherInParts(t *testing.T) {
	device, err := fsnet.OpenDevice(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	plan := replica.Plan{Settings: quick(t), Replicas: 5}
	var first []replica.Replica
	for _, runner := range []*replica.Together{{}, {Device: device, Most: 2}} {
		replicas, err := runner.Run(t.Context(), plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = replicas
		}
		for i, got := range replicas {
			if got.Err != nil || !reflect.DeepEqual(timeless(got.Result), timeless(first[i].Result)) {
				t.Errorf("two at a time: %+v, %v; all at a time: %+v", got.Result, got.Err, first[i].Result)
			}
		}
	}
}
