package replica_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// conform says what workers on a backend must do, as one suite of tests.
func conform(t *testing.T, backend string) {
	t.Helper()
	s := &suite{backend: backend}
	t.Cleanup(func() {
		if s.device != nil {
			s.device.Close()
		}
	})
	t.Run("replicas are single trainings", s.single)
	if backend != "go" {
		return // where they are trained is nothing to the rest
	}
	t.Run("so are those whose rows have weights", s.weights)
	t.Run("a replica that fails disturbs no other", s.failing)
	t.Run("an interrupted run keeps what is done", s.interrupted)
	t.Run("without data there is no replica", s.nothing)
	t.Run("plans that cannot be are refused", s.plans)
}

type suite struct {
	backend string
	device  *device.Device // of the single trainings
}

func (s *suite) newRunner() *replica.Workers {
	return &replica.Workers{Count: 2, Command: func() *exec.Cmd { return as("worker") }}
}

func (s *suite) settings(t *testing.T, c config.Config) config.Settings {
	t.Helper()
	c.Backend = s.backend
	settings, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

func (s *suite) single(t *testing.T) {
	settings := s.settings(t, planted(t))
	dir := t.TempDir()
	file := func(kind string) func(seed int64) string {
		return func(seed int64) string { return filepath.Join(dir, fmt.Sprintf("%s-%d.safetensors", kind, seed)) }
	}
	plan := replica.Plan{Settings: settings, Replicas: 3, Save: file("replica")}
	progress := newWatcher(t, plan.Replicas)
	replicas, err := s.newRunner().Run(t.Context(), plan, progress.see)
	if err != nil || len(replicas) != 3 {
		t.Fatalf("%d replicas: %v", len(replicas), err)
	}
	steps := 0
	for i, got := range replicas {
		if got.Seed != settings.Seed+int64(i) || got.Err != nil || got.Result == nil || got.Result.Seed != got.Seed {
			t.Fatalf("replica %d is %+v", i, got)
		}
		steps += got.Result.Steps
		one := settings
		one.Seed = got.Seed
		s.same(t, *got.Result, s.train(t, one, file("single")(got.Seed)))
		if a, b := read(t, file("replica")(got.Seed)), read(t, file("single")(got.Seed)); !bytes.Equal(a, b) {
			t.Errorf("seed %d: the model's file has other bytes than that of a single training", got.Seed)
		}
	}
	if a, b := replicas[0].Result.Selected, replicas[1].Result.Selected; reflect.DeepEqual(a, b) {
		t.Errorf("two seeds selected the same with the same probabilities: %v", a)
	}
	last := progress.last
	if last.Done != 3 || last.Failed != 0 || last.Running != 0 || last.Share != 1 || last.Steps != steps {
		t.Errorf("the last progress is %+v after %d steps", last, steps)
	}
}

func (s *suite) weights(t *testing.T) {
	settings := s.settings(t, weighted(t))
	replicas, err := s.newRunner().Run(t.Context(), replica.Plan{Settings: settings, Replicas: 2}, nil)
	if err != nil || len(replica.Results(replicas)) != 2 {
		t.Fatalf("%+v: %v", replicas, err)
	}
	for _, got := range replicas {
		one := settings
		one.Seed = got.Seed
		s.same(t, *got.Result, s.train(t, one, ""))
	}
	settings.RowWeights = ""
	if one := s.train(t, settings, ""); reflect.DeepEqual(one.Selected, replicas[0].Result.Selected) {
		t.Errorf("weights have no influence: %v", one.Selected)
	}
}

func (s *suite) failing(t *testing.T) {
	settings := s.settings(t, rare(t))
	plan := replica.Plan{Settings: settings, Replicas: 6}
	data, err := dataset.Open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	possible := make([]bool, plan.Replicas)
	count := 0
	for i := range possible {
		one := settings
		one.Seed = plan.Seed(i)
		if _, err := dataset.Prepare(data, one); err == nil {
			possible[i] = true
			count++
		}
	}
	if count == 0 || count == plan.Replicas {
		t.Fatalf("of the seeds from %d on %d can be trained: the test is about some of them", settings.Seed, count)
	}
	progress := newWatcher(t, plan.Replicas)
	replicas, err := s.newRunner().Run(t.Context(), plan, progress.see)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range replicas {
		if possible[i] != (got.Result != nil) || possible[i] == fault.Is(got.Err, fault.Request) {
			t.Errorf("possible: %v, and replica %d is %+v", possible[i], i, got)
		}
	}
	if progress.last.Done != count || progress.last.Failed != plan.Replicas-count || progress.last.Share != 1 {
		t.Errorf("the last progress is %+v; %d can be trained", progress.last, count)
	}
}

func (s *suite) interrupted(t *testing.T) {
	settings := s.settings(t, planted(t))
	const many = 50 // more than go at a time
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	replicas, err := s.newRunner().Run(ctx, replica.Plan{Settings: settings, Replicas: many}, func(p replica.Progress) {
		if p.Done > 0 {
			cancel()
		}
	})
	if !fault.Is(err, fault.Interrupted) || len(replicas) != many {
		t.Fatalf("%d replicas: %v", len(replicas), err)
	}
	done := 0
	for _, got := range replicas {
		switch {
		case got.Result != nil && got.Err == nil:
			if done++; done == 1 {
				one := settings
				one.Seed = got.Seed
				s.same(t, *got.Result, s.train(t, one, ""))
			}
		case got.Result != nil || !fault.Is(got.Err, fault.Interrupted):
			t.Fatalf("%+v", got)
		}
	}
	if done == 0 || done == many {
		t.Errorf("%d of %d replicas are done", done, many)
	}
	cancelled, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	if replicas, err := s.newRunner().Run(cancelled, replica.Plan{Settings: settings, Replicas: 2}, nil); !fault.Is(err, fault.Interrupted) ||
		len(replica.Results(replicas)) > 0 {
		t.Errorf("before it began: %+v, %v", replicas, err)
	}
}

func (s *suite) nothing(t *testing.T) {
	settings := s.settings(t, config.Config{Data: filepath.Join(t.TempDir(), "nothing-here.csv"), Label: "class"})
	replicas, err := s.newRunner().Run(t.Context(), replica.Plan{Settings: settings, Replicas: 3}, nil)
	if !fault.Is(err, fault.NotFound) || len(replicas) != 3 {
		t.Fatalf("%d replicas: %v", len(replicas), err)
	}
	for _, got := range replicas {
		if got.Result != nil || !fault.Is(got.Err, fault.NotFound) {
			t.Errorf("%+v", got)
		}
	}
}

func (s *suite) plans(t *testing.T) {
	settings := s.settings(t, planted(t))
	last := settings
	last.Seed = math.MaxInt64
	for _, plan := range []replica.Plan{
		{Settings: settings}, {Settings: settings, Replicas: -1}, {Settings: settings, Replicas: replica.MaxReplicas + 1},
		{Settings: last, Replicas: 2},
	} {
		if replicas, err := s.newRunner().Run(t.Context(), plan, nil); !fault.Is(err, fault.Request) || replicas != nil {
			t.Errorf("%d replicas from seed %d on: %v, %v", plan.Replicas, plan.Settings.Seed, replicas, err)
		}
	}
}

// same compares a replica with a single training in all but times and the description of the device.
func (s *suite) same(t *testing.T, got, want replica.Result) {
	t.Helper()
	for _, r := range []*replica.Result{&got, &want} {
		r.Seconds, r.StepsPerSecond, r.Device = 0, 0, ""
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the replica of seed %d is not the single training:\n%+v\n%+v", got.Seed, got, want)
	}
}

// train is the single training.
func (s *suite) train(t *testing.T, settings config.Settings, save string) replica.Result {
	t.Helper()
	data, err := dataset.Open(t.Context(), settings, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.device == nil {
		if s.device, err = device.Open(t.Context(), settings.Backend); err != nil {
			t.Fatal(err)
		}
	}
	result, err := replica.Train(t.Context(), s.device, data, settings, save, nil)
	if err != nil {
		t.Fatal(err)
	}
	return *result
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// watcher holds a runner to what it promises about its progress.
type watcher struct {
	t        *testing.T
	replicas int
	inside   atomic.Bool
	last     replica.Progress
}

func newWatcher(t *testing.T, replicas int) *watcher { return &watcher{t: t, replicas: replicas} }

func (w *watcher) see(p replica.Progress) {
	if !w.inside.CompareAndSwap(false, true) {
		w.t.Error("two reports at once")
		return
	}
	defer w.inside.Store(false)
	if p.Replicas != w.replicas || p.Done < w.last.Done || p.Failed < w.last.Failed || p.Share < w.last.Share || p.Share > 1+1e-9 ||
		p.Done+p.Failed+p.Running > w.replicas || p.StepsPerSecond < 0 || p.Left < 0 {
		w.t.Errorf("after %+v comes %+v", w.last, p)
	}
	w.last = p
}
