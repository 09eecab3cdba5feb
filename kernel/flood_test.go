package kernel

import (
	"os"
	"strings"
	"testing"

	"fsnetlab/kernel/laboratory"
)

// 10,000 arrivals that are malformed, wrongly signed, replayed or senseless, and peers that do not speak the protocol at all, leave a
// kernel that answers as before and has grown in nothing. FSNET_TEST_SEED makes other ones.
func TestAFloodOfNonsense(t *testing.T) {
	if !laboratory.Visible() {
		t.Skip("NOT TESTED: there is no /proc here")
	}
	l, pid := newProcessLab(t, withoutGo+"=1")
	o := laboratory.FloodOptions{Messages: 10_000, Seed: 1}
	if text := os.Getenv("FSNET_TEST_SEED"); text != "" {
		o.Seed = int64(atoi(t, text))
	}
	if testing.Short() {
		o.Messages = 1000
	}
	l.ok(openShort)
	r, err := laboratory.Flood(l.context(), l.front, l.connection, pid, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", *r)
	if !r.Survived || r.Signed == 0 || r.Signed > o.Messages/10 || r.Answer <= 0 {
		t.Errorf("%s: %+v", r.Why, *r)
	}
	if r := l.ok("%fsnet status"); !strings.Contains(r.texts()[0], "leukemia") {
		t.Errorf("%q", r.texts())
	}
	log, err := os.ReadFile(l.log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), "\n"); n == 0 || n > 30 || !strings.Contains(string(log), "refused") || strings.Contains(string(log), "goroutine") {
		t.Errorf("the log has %d lines: %.2000s", n, log)
	}
}
