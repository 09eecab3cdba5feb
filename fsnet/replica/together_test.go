package replica_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// Within a tolerance, on the Go backend too: it multiplies many replicas in another way than few.
func TestTogether(t *testing.T) {
	for _, options := range []underTest{{Backend: "go", Tolerance: 1e-4}, {Backend: "auto", Tolerance: 1e-3}} {
		t.Run(options.Backend, func(t *testing.T) {
			if options.Backend == "auto" && device.FindPlugin("xla:cpu") == "" {
				t.Skip("NOT TESTED: no plugin of XLA (./install.sh installs one)")
			}
			conform(t, options, func(*testing.T) replica.Runner { return &replica.Together{Most: 20} })
		})
	}
}

// However many go at a time, and on whatever device that is open, each replica is the same.
func TestTogetherInParts(t *testing.T) {
	device, err := device.Open(t.Context(), "go")
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

// An interrupted run does not return while it may still use its caller's device, whose owner may close it next.
func TestTogetherIsDoneWithItsCallersDevice(t *testing.T) {
	device, err := device.Open(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	busy, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	plan := replica.Plan{Settings: quick(t), Replicas: 2, Save: func(seed int64) string {
		once.Do(func() { // the training that is to be saved is on the device
			close(busy)
			<-goOn
		})
		return filepath.Join(t.TempDir(), fmt.Sprint(seed))
	}}
	done := make(chan error, 1)
	go func() {
		_, err := (&replica.Together{Device: device}).Run(ctx, plan, nil)
		done <- err
	}()
	<-busy
	cancel()
	select {
	case err := <-done:
		close(goOn)
		t.Fatalf("it returned while the device was in use: %v", err)
	case <-time.After(4 * time.Second): // a run on a device of its own returns before
	}
	close(goOn)
	if err := <-done; err != nil && !fault.Is(err, fault.Interrupted) {
		t.Error(err)
	}
}
