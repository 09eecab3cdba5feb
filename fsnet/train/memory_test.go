package train

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/internal/xlaplugin"
	"fsnetlab/tests/kit/devicetest"
)

const childVariable = "FSNET_TEST_MEMORY"

// TestMemoryPlan_Child is not a test: TestMemoryPlan_IsMet runs it in a process
// of its own, whose memory is measured.
func TestMemoryPlan_Child(t *testing.T) {
	var rows, features, k int
	var backend string
	if _, err := fmt.Sscan(os.Getenv(childVariable), &rows, &features, &k, &backend); err != nil {
		return
	}
	random := num.RNG(1, "test", 0)
	x := make([]float32, rows*features)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	labels := make([]string, rows)
	for i := range labels {
		labels[i] = []string{"a", "b"}[i%2]
	}
	data := must(dataset.New("wide", x, nil, labels))
	ctx, s := context.Background(), resolved(t, config.Config{K: k, Backend: backend})
	before, _ := xlaplugin.GPUs(ctx) // none where there is no GPU
	device := must(device.Open(ctx, backend))
	training := must(Open(ctx, device, data, s))
	for training.Status().Step < 2 {
		must(training.Advance(ctx, 1))
	}
	must(training.Matrix(session.MatrixRequest{}))
	must(training.Evaluate("test"))
	if backend == "xla:cuda" {
		fmt.Printf("GPU: %d kB\n", (before[0].Free-must(xlaplugin.GPUs(ctx))[0].Free)>>10) // XLA's allocator keeps what it once took
	}
	status := must(os.ReadFile("/proc/self/status"))
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") || strings.HasPrefix(line, "RssFile:") {
			fmt.Print(line)
		}
	}
}

// mappedAlone is how many bytes of its own file and of the plugin's a process
// has in its memory at the most, where nothing else has read them. The system
// maps with each page that is touched those beside it that are in its cache, as
// where other processes use them, or where the file was just written: of one
// program and plugin that was between 134 and 158 MB. They are nobody's, and no
// training takes them.
const mappedAlone = 150_000_000

// The memory that a training of each size uses is at most what the plan says,
// and at least half of it.
func TestMemoryPlan_IsMet(t *testing.T) {
	if testing.Short() {
		t.Skip("a process for each size takes some seconds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the largest resident set is read from Linux's /proc")
	}
	for i, test := range []struct {
		backend           string
		rows, features, k int
	}{
		{"xla:cpu", 72, 10_000, 10},
		{"xla:cpu", 300, 100_000, 10},
		{"go", 72, 10_000, 10},
		{"xla:cpu", 72, 100_000, 50},
		{"go", 72, 100_000, 10},
		{"xla:cuda", 72, 10_000, 10},
		{"xla:cuda", 72, 100_000, 50},
		{"xla:cuda", 300, 100_000, 10},
		{"xla:cuda", 72, 1_000_000, 50},
	} {
		t.Run(fmt.Sprintf("%s %d×%d K=%d", test.backend, test.rows, test.features, test.k), func(t *testing.T) {
			if !slices.ContainsFunc(devicetest.All(t), func(d *device.Device) bool { return d.Name == test.backend }) {
				t.Skipf("SKIPPED: %s is NOT TESTED, since it is not at hand", test.backend)
			}
			if i > 2 && test.backend != "xla:cuda" && os.Getenv("FSNET_TEST_ALL") == "" {
				t.Skip("its search for pairs takes a minute: FSNET_TEST_ALL measures it, too")
			}
			child := exec.Command(os.Args[0], "-test.run=^TestMemoryPlan_Child$", "-test.v")
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %d %s", childVariable, test.rows, test.features, test.k, test.backend),
				device.ProgramsVariable+"=off") // the plan is that of a first start, which compiles: loading takes less
			out, err := child.CombinedOutput()
			said := func(name string) (bytes int64) {
				for line := range strings.Lines(string(out)) {
					if n, _ := fmt.Sscanf(line, name+": %d kB", &bytes); n == 1 { //nolint:errcheck // the next line may be it
						return bytes << 10
					}
				}
				t.Fatalf("%v: no %s in\n%s", err, name, out)
				return 0
			}
			peak, mapped := said("VmHWM"), said("RssFile")
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			measured := peak - max(0, mapped-mappedAlone)
			plan := engine.PlanMemory(sized(test.rows, test.features), resolved(t, config.Config{K: test.k}), test.backend)
			t.Logf("planned %.0f MB, measured %.0f MB (%+.0f%%), of %.0f MB with %.0f MB of files", float64(plan.Host)/1e6,
				float64(measured)/1e6, 100*(float64(plan.Host)/float64(measured)-1), float64(peak)/1e6, float64(mapped)/1e6)
			if test.backend == "xla:cuda" {
				used := said("GPU")
				t.Logf("of the GPU planned %.0f MB, used %.0f MB", float64(plan.Device)/1e6, float64(used)/1e6)
				if plan.Device < used || plan.Host < measured {
					t.Errorf("the plan is below what was measured:\n%s", plan)
				}
				return
			}
			if plan.Host < measured || float64(plan.Host) > 2*float64(measured) {
				t.Errorf("the plan is below what was measured, or above twice as much:\n%s", plan)
			}
		})
	}
}

// sized is a data set of which nothing but its sizes is there.
func sized(rows, features int) *dataset.Dataset {
	return &dataset.Dataset{Name: "wide", N: rows, D: features, Features: make([]string, min(features, 10)), Classes: []string{"a", "b"}}
}

func resolved(t *testing.T, c config.Config) config.Settings {
	t.Helper()
	c.Data = "wide"
	s := must(c.Resolve())
	return s
}

// A prediction makes the matrix of its rows once, with the columns that the
// device pads.
func TestPredict_MakesOneMatrix(t *testing.T) {
	d := devicetest.All(t)[0]
	if d.Name == "go" {
		t.Skip("NOT TESTED: the Go backend has its own matrices in the same memory")
	}
	training := open(t, d, planted(1200, 1501), config.Config{K: 2, Epochs: 1, Hidden: []int{4}, TestFraction: new(0.5)})
	rows := training.data.Parts.Test
	width := training.engine.Layout.Width()
	if width <= len(training.columns) {
		t.Fatalf("nothing is padded: %d columns", width)
	}
	predict := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		must(training.predict(rows))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	predict() // compiles
	if took, matrix := predict(), uint64(4*len(rows)*width); took > matrix+matrix/4 {
		t.Errorf("%d bytes are taken for a matrix of %d", took, matrix)
	}
}
