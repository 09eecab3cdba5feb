package comparators

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/baselinetest"
)

// noise is n rows of d features, of two classes.
func noise(n, d int) baseline.Data {
	r := num.RNG(11, "memory")
	data := baseline.Data{Rows: make([][]float64, n), Y: make([]int, n), Classes: 2}
	flat := make([]float64, n*d)
	for i := range data.Rows {
		data.Y[i] = i % 2
		data.Rows[i] = flat[i*d : (i+1)*d]
		for j := range data.Rows[i] {
			data.Rows[i][j] = r.NormFloat64() + float64(data.Y[i])
		}
	}
	return data
}

// Every method says beforehand what it takes, and refuses what it has no room for in one line, with the figures and what would fit.
func TestMethodsRefuseWhatHasNoRoom(t *testing.T) {
	data := noise(400, 300)
	for _, m := range All() {
		e := m.Entry()
		o := baseline.Options{Seed: 1, Device: baselinetest.Plain()}
		if e.Selects {
			o.K = 3
		}
		s := baseline.Sizes{Rows: 400, Features: 300, Classes: 2, K: o.K}
		need := m.Memory(s)
		if least := int64(400 * 300 * 8); need < least {
			t.Errorf("%s: it takes %d bytes for %d of data", e.Name, need, least)
		}
		if more := m.Memory(baseline.Sizes{Rows: 800, Features: 300, Classes: 2, K: o.K}); more <= need {
			t.Errorf("%s: 800 rows take %d bytes, 400 take %d", e.Name, more, need)
		}
		o.Memory = need / 2
		_, err := m.Fit(t.Context(), data, o)
		if !errs.Is(err, errs.Request) {
			t.Errorf("%s: half of what it needs is enough: %v", e.Name, err)
			continue
		}
		for _, words := range []string{e.Name + ": 400 rows of 300 features need ", " MB more, but ", " MB are allowed - these would fit: ", "features"} {
			if !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q does not say %q", err, words)
			}
		}
		o.Memory = need
		if err := baseline.CheckMemory(t.Context(), m, s, o); err != nil {
			t.Errorf("%s: what it needs is not enough: %v", e.Name, err)
		}
	}
}

// What the remedy names fits, and one more does not; HSIC Lasso names the one of blocks.
func TestWhatWouldFit(t *testing.T) {
	s, o := baseline.Sizes{Rows: 60_000, Features: 10, Classes: 2}, baseline.Options{Memory: 4e9}
	err := baseline.CheckMemory(t.Context(), SVM{}, s, o)
	var rows int
	if _, scan := fmt.Sscanf(errs.Of(err).Remedy, "these would fit: %d rows", &rows); scan != nil {
		t.Fatal(err)
	}
	for more, fits := range map[int]bool{0: true, 1: false} {
		s.Rows = rows + more
		if got := baseline.CheckMemory(t.Context(), SVM{}, s, o) == nil; got != fits {
			t.Errorf("%d rows, %d more than %q: fits is %v", s.Rows, more, errs.Of(err).Remedy, got)
		}
	}
	err = baseline.CheckMemory(t.Context(), HSICLasso{}, baseline.Sizes{Rows: 30_000, Features: 50, Classes: 2, K: 5}, o)
	if !strings.Contains(err.Error(), "these would fit: hsic-lasso-block; or ") || !strings.Contains(err.Error(), "hsic-lasso: 30000 rows of 50 features need 45.0 GB more") {
		t.Error(err)
	}
}

// No machine that this runs on holds what a million rows take: real figures of the machine, before anything is taken.
func TestThisMachineRefusesAMillionRows(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: nobody says how much memory there is")
	}
	data := baseline.Data{Rows: make([][]float64, 1_000_000), Y: make([]int, 1_000_000), Classes: 2}
	for i := range data.Rows {
		data.Rows[i], data.Y[i] = []float64{float64(i)}, i%2
	}
	for _, m := range []baseline.Method{SVM{}, HSICLasso{}} {
		o := baseline.Options{}
		if m.Entry().Selects {
			o.K = 1
		}
		if _, err := m.Fit(t.Context(), data, o); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "1000000 rows of 1 feature need ") {
			t.Errorf("%s: %v", m.Entry().Name, err)
		}
	}
}

const memoryVariable = "FSNET_TEST_BASELINE_MEMORY"

// TestMemoryChild is not a test: TestMethodsTakeWhatTheySay runs it in a process of its own, whose memory is measured.
func TestMemoryChild(t *testing.T) {
	var name, backend string
	var n, d, k int
	if _, err := fmt.Sscan(os.Getenv(memoryVariable), &name, &n, &d, &k, &backend); err != nil {
		return
	}
	m, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	device, err := device.OpenScope(t.Context(), backend)
	if err != nil {
		t.Fatal(err)
	}
	small := noise(40, 5) // the program, and what compiling takes
	if _, err := m.Fit(t.Context(), small, baseline.Options{K: min(k, 2), Device: device}); err != nil {
		t.Fatal(err)
	}
	data := noise(n, d)
	debug.FreeOSMemory()
	before := status(t, "VmRSS:")
	if _, err := m.Fit(t.Context(), data, baseline.Options{K: k, Device: device}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("TOOK:", status(t, "VmHWM:")-before)
}

// status is a size of this process, in bytes.
func status(t *testing.T, key string) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var kb int64
	if _, err := fmt.Sscanf(string(text[bytes.Index(text, []byte(key)):]), key+" %d kB", &kb); err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

func TestMethodsTakeWhatTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("a process for each method takes some seconds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the largest resident set is read from Linux's /proc")
	}
	for _, c := range []struct {
		name    string
		n, d, k int
	}{
		{"svm", 4000, 20, 0}, {"hsic-lasso", 1400, 40, 3}, {"mrmr", 500, 20_000, 3}, {"anova", 500, 40_000, 3}, {"l1-logistic:c=0.001", 500, 40_000, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			backend := "xla:cpu"
			if device.FindPlugin(backend) == "" {
				t.Skip("SKIPPED: NOT TESTED without a plugin of XLA")
			}
			child := exec.Command(os.Args[0], "-test.run=^TestMemoryChild$", "-test.v")
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d %s", memoryVariable, c.name, c.n, c.d, c.k, backend))
			out, err := child.CombinedOutput()
			at := bytes.Index(out, []byte("TOOK:"))
			if err != nil || at < 0 {
				t.Fatalf("%v\n%s", err, out)
			}
			var took int64
			if _, err := fmt.Sscanf(string(out[at:]), "TOOK: %d", &took); err != nil {
				t.Fatal(err)
			}
			m, err := Named(c.name)
			if err != nil {
				t.Fatal(err)
			}
			said := m.Memory(baseline.Sizes{Rows: c.n, Features: c.d, Classes: 2, K: c.k})
			t.Logf("said %.0f MB, took %.0f MB (%+.0f%%)", float64(said)/1e6, float64(took)/1e6, 100*(float64(said)/float64(took)-1))
			if float64(said) < 0.8*float64(took) || float64(said) > 2.5*float64(took) {
				t.Errorf("what it says is not within four fifths and two and a half times of what it took")
			}
		})
	}
}
