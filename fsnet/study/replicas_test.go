package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
)

// replicated makes n replicas.
func replicated(ctx context.Context, t *testing.T, backend string, d *dataset.Dataset, c config.Config, n int, o ReplicaOptions,
	report func(Progress) error) ([]Row, error) {
	t.Helper()
	on := must(device.Open(t.Context(), backend))
	t.Cleanup(on.Close)
	p := must(Replicas(d, c, n))
	return p.Replicate(ctx, on, nil, o, report)
}

// Replicas, two at the same time, are single fits, to the last bit of their
// results and models, and the progress they report is right.
func TestReplicas_AreSingleFits(t *testing.T) {
	weights := make([]float64, 40) // some of them 0: so seeds train on different numbers of rows
	for i := range weights {
		weights[i] = float64(i * i % 5)
	}
	weighted := must(planted(t).WithWeights(weights))
	for name, c := range map[string]struct {
		data    *dataset.Dataset
		backend string
	}{"go": {planted(t), "go"}, "auto": {planted(t), "auto"}, "weights": {weighted, "go"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := func(seed int64) string { return filepath.Join(dir, fmt.Sprintf("%d.safetensors", seed)) }
			config := config.Config{K: 3, Epochs: 10, Seed: 7, Backend: c.backend}
			var last Progress
			rows, err := replicated(t.Context(), t, c.backend, c.data, config, 3, ReplicaOptions{AtOnce: 2, Save: file}, func(p Progress) error {
				if p.Total != 3 || p.Done < last.Done || p.Share < last.Share || p.Share > 1+1e-9 || p.Done+p.Running > 3 || p.Left < 0 {
					t.Errorf("after %+v comes %+v", last, p)
				}
				last = p
				return nil
			})
			if err != nil || len(rows) != 3 || last.Done != 3 || last.Failed != 0 || last.Running != 0 || last.Share != 1 || last.Workers != 2 {
				t.Fatalf("%d replicas, %v; the last progress is %+v", len(rows), err, last)
			}
			alone := filepath.Join(dir, "single.safetensors")
			for i, row := range rows {
				if row.Seed != 7+int64(i) || row.Err() != nil || row.Device != row.Fit.Backend {
					t.Fatalf("replica %d is %+v", i, row)
				}
				config.Seed = row.Seed
				var want fsnet.Result
				model, err := fsnet.Fit(t.Context(), c.data, config, fsnet.WithResult(&want))
				if err == nil {
					err = model.Save(alone)
				}
				if got := row.Fit.Timeless(); err != nil || !reflect.DeepEqual(got, want.Timeless()) {
					t.Errorf("%v: the replica of seed %d is not the single fit:\n%+v\n%+v", err, row.Seed, row.Fit, want)
				}
				a, err := os.ReadFile(file(row.Seed))
				b, other := os.ReadFile(alone)
				if errors.Join(err, other) != nil || !bytes.Equal(a, b) {
					t.Errorf("seed %d: the model's file has other bytes than that of a single fit, %v", row.Seed, errors.Join(err, other))
				}
			}
			if reflect.DeepEqual(rows[0].Fit.Selected, rows[1].Fit.Selected) {
				t.Errorf("two seeds selected the same with the same probabilities: %v", rows[0].Fit.Selected)
			}
		})
	}
}

// Replicas whose steps one program makes come to the steps, genes and scores of
// single fits, also if there are more than places, and in parts to the same
// bits.
func TestReplicas_InOneProgram(t *testing.T) {
	on := must(device.Open(t.Context(), "auto"))
	defer on.Close()
	if on.Name == "go" {
		t.Skip("NOT TESTED: no XLA plugin")
	}
	c := config.Config{K: 3, Epochs: 30, Seed: 7, Backend: on.Name}
	p := must(Replicas(planted(t), c, 5))
	together := must(p.Replicate(t.Context(), on, nil, ReplicaOptions{lanes: 4}, nil))
	one := must(p.Replicate(t.Context(), on, together[:4], ReplicaOptions{lanes: 4}, nil))
	if !reflect.DeepEqual(one[4].Fit.Timeless(), together[4].Fit.Timeless()) {
		t.Errorf("alone in its program a replica is\n%+v\nbeside others\n%+v", one[4].Fit, together[4].Fit)
	}
	single := must(p.Replicate(t.Context(), on, nil, ReplicaOptions{lanes: 1}, nil))
	for i, row := range together {
		got, want := row.Fit, single[i].Fit
		if row.Err() != nil || got.Steps != want.Steps || len(got.Selected) != 3 {
			t.Fatalf("%v: replica %d made %+v, alone %+v", row.Err(), i, got, want)
		}
		for k, s := range got.Selected {
			if s.Name != want.Selected[k].Name || math.Abs(s.Probability-want.Selected[k].Probability) > 1e-3 {
				t.Errorf("replica %d chooses %+v, alone %+v", i, s, want.Selected[k])
			}
		}
	}
}

// A replica that fails disturbs no other. Of three features, the last varies in
// two rows only, and if the split takes both of them from the training rows,
// three can't be selected.
func TestReplicas_FailureDisturbsNoOther(t *testing.T) {
	x, labels := make([]float32, 60), make([]string, 20)
	for i := range labels {
		x[3*i], x[3*i+1], labels[i] = float32(i%2)+float32(i*7%10)/10, float32(i*3%11), []string{"sick", "well"}[i%2]
	}
	x[3*4+2], x[3*9+2] = 1, 2
	data := must(dataset.New("rare", x, nil, labels))
	c := config.Config{K: 3, Epochs: 10, Backend: "go"}
	settings := must(c.Resolve())
	rows, err := replicated(t.Context(), t, "go", data, c, 24, ReplicaOptions{}, nil)
	if err != nil || len(rows) != 24 {
		t.Fatal(len(rows), err)
	}
	good := 0
	for _, row := range rows {
		settings.Seed = row.Seed
		_, err := dataset.Prepare(data, settings)
		if (err == nil) != (row.Fit != nil) || (err == nil) == errs.Is(row.Err(), errs.Request) {
			t.Errorf("possible: %v, and its row is %+v", err, row)
		}
		if err == nil {
			good++
		}
	}
	if good == 0 || good == len(rows) {
		t.Fatalf("%d of the seeds can be trained: the test is about some of them", good)
	}
}

// If replicas are interrupted, by the context or by the callback, they keep
// what is done.
func TestReplicas_Interrupted(t *testing.T) {
	full := errs.New(errs.Failed, "", "the disk is full")
	for name, stop := range map[string]error{"interrupted": nil, "the disk is full": full} {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := replicated(ctx, t, "go", planted(t), config.Config{K: 3, Epochs: 10, Backend: "go"}, 50, ReplicaOptions{}, func(p Progress) error {
			if p.Done > 0 && stop == nil {
				cancel()
			} else if p.Done > 0 {
				return stop
			}
			return nil
		})
		if err == nil || errs.Is(err, errs.Interrupted) != (stop == nil) || !strings.Contains(err.Error(), name) || len(rows) == 0 || len(rows) == 50 || rows[0].Fit == nil {
			t.Errorf("%s: %d rows: %v", name, len(rows), err)
		}
		cancel()
	}
	// Also an error at the last replica is returned.
	rows, err := replicated(t.Context(), t, "go", planted(t), config.Config{K: 3, Epochs: 2, Backend: "go"}, 1, ReplicaOptions{}, func(p Progress) error {
		if p.Finished != nil {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || len(rows) != 1 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}

// Every replica reads the file that names features. If the file changes, later
// replicas fail.
func TestReplicas_FileChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "genes.txt")
	put := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	put("n4\n")
	c := config.Config{K: 3, Epochs: 10, Backend: "go", Never: []string{file}}
	rows, err := replicated(t.Context(), t, "go", planted(t), c, 3, ReplicaOptions{AtOnce: 1}, func(p Progress) error {
		if p.Finished != nil && p.Done == 1 {
			put("n5\n")
		}
		return nil
	})
	if err != nil || len(rows) != 3 || rows[0].Error != "" || !strings.Contains(rows[2].Error, file+" (never) has changed") {
		t.Errorf("%v, %+v", err, rows)
	}
}

// If a quota allows less than the cores, no more trainings run at the same time
// than it keeps busy. A GPU runs eight at most.
func TestReplicas_UnderAQuota(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	for _, name := range []string{"xla:cpu", "xla:cuda"} {
		most := all
		if name == "xla:cuda" {
			most = min(all, 8)
		}
		for quota, want := range map[float64]int{0: most, 0.5: 1, 1: 1, 1000: most} {
			if got := busyTrainings(&device.Device{Name: name}, quota); got != want {
				t.Errorf("on %s a quota of %g keeps %d trainings busy, not %d", name, quota, got, want)
			}
		}
	}
}

// Replicas made in parts, each by a plan read from its listing, and merged, are
// those of one run with the seeds of the plan.
func TestReplicas_InParts(t *testing.T) {
	data, c := planted(t), config.Config{K: 3, Epochs: 10, Seed: 7, Backend: "go"}
	want := must(replicated(t.Context(), t, "go", data, c, 5, ReplicaOptions{}, nil))
	l, bare := listingOf(t, must(Replicas(data, c, 5)))
	var parts []File
	for i := 3; i >= 1; i-- {
		p := must(l.Plan([]*dataset.Dataset{data}, ""))
		if err := p.Part(i, 3); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, File{fmt.Sprint(i), must(p.Replicate(t.Context(), opened(t), nil, ReplicaOptions{}, nil))})
	}
	merged := must(bare.Merge("go", parts))
	for i := range want {
		if got := merged[i].Timeless(); !reflect.DeepEqual(got, want[i].Timeless()) || got.Seed != 7+int64(i) {
			t.Errorf("replica %d is %+v\nof one run %+v", i, got.Fit, want[i].Fit)
		}
	}
}

// FsNet's row of a comparison is a single fit with the seed of its split.
func TestRun_TrainsAsFit(t *testing.T) {
	p := some(t, "fsnet", 2, 3)
	for _, row := range made(t, p, nil) {
		c := options()
		c.K, c.Seed = 3, row.Seed
		var r fsnet.Result
		must(fsnet.Fit(t.Context(), p.Data[0], c, fsnet.WithResult(&r)))
		var names []string
		for _, f := range r.Selected {
			names = append(names, f.Name)
		}
		if r.TestScore.Value != *row.Own || r.ModelKB != *row.ModelKB || !reflect.DeepEqual(names, row.Selected) {
			t.Errorf("fit gives %+v, compare %+v", r, row)
		}
	}
}
