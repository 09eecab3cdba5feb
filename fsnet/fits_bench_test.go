package fsnet

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// BenchmarkManyFits fits data of another width each time, on one device and each on a device of its own, and reports how much the process
// grows from fit to fit once its first ten are over: its programs come and go. -benchtime 50x makes fifty fits.
func BenchmarkManyFits(b *testing.B) {
	for name, own := range map[string]bool{"one device": false, "a device each": true} {
		b.Run(name, func(b *testing.B) {
			d, err := OpenDevice(b.Context(), "auto")
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			fits, early := 0, 0.0
			for b.Loop() {
				options := []Option{OnDevice(d)}
				if own {
					options = nil
				}
				data := planted(24, 200+40*fits)
				if _, err := Fit(context.Background(), data, Config{K: 5, Epochs: 1, Hidden: []int{8}, Stop: "never"}, options...); err != nil {
					b.Fatal(err)
				}
				if fits++; fits == 10 {
					early = residentMB(b)
				}
			}
			if fits > 10 {
				b.ReportMetric((residentMB(b)-early)/float64(fits-10), "MB/fit")
			}
		})
	}
}

// residentMB is the process's resident set.
func residentMB(b *testing.B) float64 {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("Linux's /proc is needed: ", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kb := 0.0
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		b.Fatal(err)
	}
	return kb / 1000
}
