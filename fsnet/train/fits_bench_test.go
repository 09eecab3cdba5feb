package train

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
)

// BenchmarkManyFits fits data of another width each time, on one device and each on a device of its own, and reports how much the process
// grows from fit to fit once its first ten are over: its programs come and go. -benchtime 50x makes fifty fits.
func BenchmarkManyFits(b *testing.B) {
	for name, own := range map[string]bool{"one device": false, "a device each": true} {
		b.Run(name, func(b *testing.B) {
			d, err := device.Open(b.Context(), "auto")
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			fits, early := 0, 0.0
			for b.Loop() {
				fitOnce(b, d, own, 200+40*fits)
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

// fitOnce trains on data of a width, on a device or one of its own.
func fitOnce(b *testing.B, d *device.Device, own bool, width int) {
	b.Helper()
	if own {
		var err error
		if d, err = device.Open(b.Context(), "auto"); err != nil {
			b.Fatal(err)
		}
		defer d.Close()
	}
	settings, err := config.Config{K: 5, Epochs: 1, Hidden: []int{8}, Stop: "never"}.Resolve()
	if err != nil {
		b.Fatal(err)
	}
	training, err := Open(b.Context(), d, planted(24, width), settings)
	if err != nil {
		b.Fatal(err)
	}
	defer training.Close()
	if err := training.Run(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	if _, err := training.Fitted(); err != nil {
		b.Fatal(err)
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
