package engine

import (
	"runtime"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/sparse"
	"fsnetlab/fsnet/errs"
)

// wide is a data set in memory of which nothing is large: only its sizes matter.
func wide(rows, features int) *dataset.Dataset {
	return &dataset.Dataset{Name: "wide", N: rows, D: features, Features: make([]string, min(features, 10)), Classes: []string{"a", "b"}}
}

// settingsFor are settings that keep all features.
func settingsFor(t *testing.T, c config.Config) config.Settings {
	t.Helper()
	c.Data, c.Screen = "wide", new(0)
	s := must(c.Resolve())
	return s
}

// A nuisance makes sparse data dense, and the plan says so.
func TestPlanMemory_SparseDataWithNuisance(t *testing.T) {
	const n, d = 40, 5000
	var rows sparse.Rows
	rows.Reset()
	labels, sites := make([]string, n), make([]string, n)
	for i := range n {
		rows.Columns, rows.Values = append(rows.Columns, int32(i)), append(rows.Values, 1)
		rows.End()
		labels[i], sites[i] = string(rune('a'+i%2)), string(rune('p'+i/20))
	}
	thin := must(dataset.NewSparse(t.Context(), "thin", sparse.NewMatrix(rows, d), nil, labels))
	sited := must(thin.WithNuisance(sites))
	s := settingsFor(t, config.Config{K: 3})
	plan, without := PlanMemory(sited, s, "xla:cpu"), PlanMemory(thin, s, "xla:cpu")
	if plan.ToCome() < 2*4*n*d {
		t.Errorf("%d bytes are to come, less than the data dense and scaled", plan.ToCome())
	}
	if plan.Held != without.Held {
		t.Errorf("other data are held: %s\nwithout a nuisance %s", plan, without)
	}
}

// A table of one row has a plan, so that the later error can say what is wrong
// with it.
func TestPlanMemory_OneRow(t *testing.T) {
	one := &dataset.Dataset{Name: "one", N: 1, D: 20, Classes: []string{"a"}, Y: []int{0}}
	for _, rowsPerClass := range []int{0, 5} {
		if p := PlanMemory(one, settingsFor(t, config.Config{K: 2, RowsPerClass: rowsPerClass}), "go"); p.Host <= 0 {
			t.Errorf("%+v", p)
		}
	}
}

// The plan names the memory of the processor and, for a GPU only, that of the
// device.
func TestPlanMemory_NamesEveryPlace(t *testing.T) {
	data, s := wide(72, 1_000_000), settingsFor(t, config.Config{K: 10})
	cpu := PlanMemory(data, s, "xla:cpu")
	if cpu.Device != 0 || strings.Contains(cpu.String(), "of the GPU") {
		t.Errorf("a processor with memory of a device: %s", cpu)
	}
	cuda := PlanMemory(data, s, "xla:cuda")
	if cuda.Device == 0 || cuda.Host >= cpu.Host || !strings.Contains(cuda.String(), "of the GPU, at the peak") {
		t.Errorf("a GPU: %s", cuda)
	}
	if held := cpu.Held; held < 72*4*1_000_000 || held > 72*4*1_000_000+450<<20 {
		t.Errorf("%d bytes are held by the program and the data", held)
	}
}

// A training without room is rejected with the sizes and a remedy.
func TestPlanMemory_RejectsNoRoom(t *testing.T) {
	for _, test := range []struct {
		name    string
		room    room
		backend string
		says    []string // nil: fits
	}{
		{"enough", room{host: 64e9, device: -1}, "xla:cpu", nil},
		{"unknown", room{host: -1, device: -1}, "xla:cuda", nil},
		{"a small host", room{host: 2e9, device: -1, hostSource: "free on this machine"}, "xla:cpu",
			[]string{"1000000 features with K = 50 may need 2.", "GB more on xla:cpu", "2.0 GB are free on this machine", "use a smaller screen"}},
		{"a small GPU", room{host: 64e9, device: 1e9, deviceSource: "free on a GPU"}, "xla:cuda",
			[]string{"1.0 GB are free on a GPU", "backend=xla:cpu"}},
		{"a small host of a large GPU", room{host: 1e8, device: 64e9, hostSource: "left"}, "xla:cuda", []string{"100 MB are left"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.room.check(PlanMemory(wide(72, 1_000_000), settingsFor(t, config.Config{K: 50}), test.backend))
			if test.says == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errs.Is(err, errs.Request) {
				t.Fatalf("%v", err)
			}
			for _, word := range test.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		})
	}
}

// This machine has room for a small training. No machine has room for a matrix
// of 10¹² numbers.
func TestPlanMemory_OnThisMachine(t *testing.T) {
	if err := CheckMemory(t.Context(), "go", wide(20, 50), settingsFor(t, config.Config{K: 3})); err != nil {
		t.Errorf("20 rows of 50 features: %v", err)
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: the system does not say how much memory there is")
	}
	err := CheckMemory(t.Context(), "xla:cpu", wide(72, 1_000_000), settingsFor(t, config.Config{K: 1_000_000}))
	if !errs.Is(err, errs.Request) {
		t.Errorf("a million selectors on a million features: %v", err)
	}
}
