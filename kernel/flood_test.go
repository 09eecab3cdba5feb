package kernel

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// memory is what a process has had at the most and has now, in 10⁶ bytes.
func memory(t *testing.T, pid int) (most, now float64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("NOT TESTED: the memory of a process cannot be seen here")
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 { //nolint:errcheck // it is another line
			most = kb * 1024 / 1e6
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 { //nolint:errcheck // it is another line
			now = kb * 1024 / 1e6
		}
	}
	return most, now
}

// A cell that prints 100 MB leaves the kernel small, all of it arrives, and one that prints without end can be interrupted. How
// fast is printed, not judged.
func TestAFloodOfOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: 100 MB take a while")
	}
	l, pid := newProcessLab(t)
	const flood = "%%\nline := strings.Repeat(\"x\", 99) + \"\\n\"\nout := bufio.NewWriter(os.Stdout)\ndefer out.Flush()\nfor range "
	began := time.Now()
	r := l.ok(flood + "1_000_000 {\n\tout.WriteString(line)\n}")
	took := time.Since(began)
	arrived := 0
	for _, m := range r.Of("stream") {
		arrived += strings.Count(string(m.Content), `\n`)
	}
	most, now := memory(t, pid)
	t.Logf("100 MB took %v; the kernel has %.0f MB, and had %.0f", took.Round(time.Millisecond), now, most)
	if arrived != 1_000_000 || most > 200 {
		t.Errorf("%d of 1,000,000 lines arrived; the kernel had %.0f MB, want 200 at the most", arrived, most)
	}
	endless := l.begin(flood + "1_000_000_000 {\n\tout.WriteString(line)\n}")
	if err := endless.Until(l.context(), says("xxx")); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	l.askControl("interrupt_request", nil)
	l.failed("an endless flood", l.finish(endless), "Interrupted")
	most, _ = memory(t, pid)
	t.Logf("interrupted after %v; the kernel had %.0f MB", time.Since(began).Round(time.Millisecond), most)
	if most > 200 {
		t.Errorf("the kernel had %.0f MB, want 200 at the most", most)
	}
}
