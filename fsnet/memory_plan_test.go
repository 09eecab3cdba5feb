package fsnet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/stream"
)

// wide is a data set in memory of which nothing is large: only its sizes matter.
func wide(rows, features int) *dataset.Dataset {
	return &dataset.Dataset{Name: "wide", N: rows, D: features, Features: make([]string, min(features, 10)), Classes: []string{"a", "b"}}
}

func settingsFor(t *testing.T, c Config) config.Settings {
	t.Helper()
	c.Data = "wide"
	s, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMemoryPlanIsLinear(t *testing.T) {
	for _, backend := range Backends() {
		bytes := func(d, k int) int64 {
			p := PlanMemory(wide(72, d), settingsFor(t, Config{K: k}), backend)
			return p.Host + p.Device
		}
		for _, k := range []int{10, 50} {
			first, second := bytes(2_000_000, k)-bytes(1_000_000, k), bytes(3_000_000, k)-bytes(2_000_000, k)
			if first <= 0 || first-second > 8 || second-first > 8 {
				t.Errorf("%s, K = %d: a million features more take %d, then %d bytes", backend, k, first, second)
			}
		}
		if bytes(1_000_000, 50) <= bytes(1_000_000, 10) {
			t.Errorf("%s: more selectors take no more memory", backend)
		}
	}
}

func TestMemoryPlanNamesEveryPlace(t *testing.T) {
	data, s := wide(72, 1_000_000), settingsFor(t, Config{K: 10})
	cpu := PlanMemory(data, s, "xla:cpu")
	if cpu.Device != 0 || strings.Contains(cpu.String(), "MB  device") {
		t.Errorf("a processor with memory of a device: %s", cpu)
	}
	cuda := PlanMemory(data, s, "xla:cuda")
	if cuda.Device == 0 || cuda.Host >= cpu.Host || !strings.Contains(cuda.String(), "device  at the peak") {
		t.Errorf("a GPU: %s", cuda)
	}
	for _, l := range cpu.Lines {
		if l.Bytes <= 0 || l.Name == "" {
			t.Errorf("%+v", l)
		}
	}
	if held := cpu.Host - cpu.ToCome(); held < 72*4*1_000_000 || held > 72*4*1_000_000+300<<20 {
		t.Errorf("%d bytes are held by the program and the data", held)
	}
}

func TestNoRoomIsRefusedWithWhatWouldFit(t *testing.T) {
	for _, test := range []struct {
		name    string
		room    room
		backend string
		config  Config
		kind    fault.Kind // "" fits
		says    []string
	}{
		{"enough", room{host: 64e9, device: -1}, "xla:cpu", Config{K: 50}, "", nil},
		{"unknown", room{host: -1, device: -1}, "xla:cuda", Config{K: 50}, "", nil},
		{"fewer selectors", room{host: 2125e6, device: -1, hostSource: "free on this machine"}, "xla:cpu", Config{K: 50}, fault.Request,
			[]string{"1000000 features with K = 50 need 2.", "GB more on xla:cpu", "2.1 GB are free on this machine", "k = 4", "a table of", "000 features"}},
		{"smaller batches", room{host: 64e9, device: 23e8, deviceSource: "free on a GPU"}, "xla:cuda", Config{K: 10, Batch: new(0)}, fault.Request, []string{"batch = 8"}},
		{"hopeless", room{host: 1e6, device: -1}, "xla:cpu", Config{K: 10}, fault.Request, []string{"1 MB", "close what else runs"}},
		{"a small GPU", room{host: 64e9, device: 1e9, deviceSource: "free on a GPU"}, "xla:cuda", Config{K: 10}, fault.Request,
			[]string{"1.0 GB are free on a GPU", "backend = xla:cpu"}},
		{"a small host of a large GPU", room{host: 1e8, device: 64e9, hostSource: "left"}, "xla:cuda", Config{K: 10}, fault.Request, []string{"100 MB are left"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.room.check(wide(72, 1_000_000), settingsFor(t, test.config), test.backend)
			if test.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !fault.Is(err, test.kind) {
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

// No machine holds a matrix of 10¹² numbers.
func TestThisMachineHasRoomForLittleAndNotForEverything(t *testing.T) {
	if err := CheckMemory(t.Context(), "go", wide(20, 50), settingsFor(t, Config{K: 3})); err != nil {
		t.Errorf("20 rows of 50 features: %v", err)
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: nobody says how much memory there is")
	}
	err := CheckMemory(t.Context(), "xla:cpu", wide(72, 1_000_000), settingsFor(t, Config{K: 1_000_000}))
	if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "these would fit: k = ") {
		t.Errorf("a million selectors on a million features: %v", err)
	}
}

// What the remedy names must fit itself, and one more must not.
func TestRemediesFit(t *testing.T) {
	r := room{host: 21e8, device: -1}
	data, s := wide(72, 1_000_000), settingsFor(t, Config{K: 50})
	remedy := fault.Of(r.check(data, s, "xla:cpu")).Remedy
	var k int
	if _, err := fmt.Sscanf(remedy[strings.Index(remedy, "k = "):], "k = %d", &k); err != nil {
		t.Fatal(err)
	}
	for more, fits := range map[int]bool{0: true, 1: false} {
		s.K = k + more
		if r.holds(PlanMemory(data, s, "xla:cpu")) != fits {
			t.Errorf("k = %d, %d more than %q: fits is not %v", s.K, more, remedy, fits)
		}
	}
}

const childVariable = "FSNET_TEST_MEMORY"

// TestMemoryChild is not a test: TestMemoryPlanIsMet runs it in a process of its own, whose memory is measured.
func TestMemoryChild(t *testing.T) {
	var rows, features, k int
	var backend string
	if _, err := fmt.Sscan(os.Getenv(childVariable), &rows, &features, &k, &backend); err != nil {
		return
	}
	random := stream.New(1, "test", 0)
	x := make([]float32, rows*features)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	labels := make([]string, rows)
	for i := range labels {
		labels[i] = []string{"a", "b"}[i%2]
	}
	data, err := dataset.New("wide", x, nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	ctx, s := context.Background(), settingsFor(t, Config{K: k, Backend: backend})
	device, err := OpenDevice(ctx, backend)
	if err != nil {
		t.Fatal(err)
	}
	training, err := Open(ctx, device, data, s)
	if err != nil {
		t.Fatal(err)
	}
	for training.Status().Step < 2 {
		if _, err := training.Advance(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := training.Matrix(session.MatrixRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := training.Evaluate("test"); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Print(line)
		}
	}
}

func TestMemoryPlanIsMet(t *testing.T) {
	if testing.Short() {
		t.Skip("a process for each size takes some seconds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the largest resident set is read from Linux's /proc")
	}
	for _, test := range []struct {
		backend           string
		rows, features, k int
	}{
		{"xla:cpu", 72, 10_000, 10},
		{"xla:cpu", 72, 100_000, 50},
		{"xla:cpu", 300, 100_000, 10},
		{"go", 72, 100_000, 10},
	} {
		t.Run(fmt.Sprintf("%s %d×%d K=%d", test.backend, test.rows, test.features, test.k), func(t *testing.T) {
			if test.backend != "go" && FindPlugin(test.backend) == "" {
				t.Skipf("SKIPPED: %s is NOT TESTED, since it has no plugin", test.backend)
			}
			child := exec.Command(os.Args[0], "-test.run=^TestMemoryChild$", "-test.v")
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %d %s", childVariable, test.rows, test.features, test.k, test.backend))
			out, err := child.CombinedOutput()
			at := bytes.Index(out, []byte("VmHWM:"))
			if err != nil || at < 0 {
				t.Fatalf("%v\n%s", err, out)
			}
			var kb int64
			if _, err := fmt.Sscanf(string(out[at:]), "VmHWM: %d kB", &kb); err != nil {
				t.Fatal(err)
			}
			plan := PlanMemory(wide(test.rows, test.features), settingsFor(t, Config{K: test.k}), test.backend)
			measured := kb << 10
			t.Logf("planned %.0f MB, measured %.0f MB (%+.0f%%)", float64(plan.Host)/1e6, float64(measured)/1e6, 100*(float64(plan.Host)/float64(measured)-1))
			if float64(plan.Host) < 0.9*float64(measured) || float64(plan.Host) > 1.3*float64(measured) {
				t.Errorf("the plan is not within -10%% and +30%% of what was measured:\n%s", plan)
			}
		})
	}
}
