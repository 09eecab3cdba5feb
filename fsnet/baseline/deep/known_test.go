package deep

import (
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/tests/kit/baselinetest"
	"fsnetlab/tests/kit/devicetest"
)

// On a GPU no training of a comparator asks the host whether to go on: XLA
// knows the counts of its loops.
func TestKnownCounts_AreXLAs(t *testing.T) {
	methods := []baseline.Method{CAE{Epochs: 9, Tries: 1}, PINK{Epochs: 9}, DFS{Epochs: 9}, DietNet{Epochs: 9}, DNP{Epochs: 9}, HashedNets{Epochs: 9}, STG{Epochs: 9}}
	programs := devicetest.Optimised(t, func() {
		scope := device.ScopeOn(devicetest.AsCard(t))
		for _, method := range methods {
			o := baseline.Options{K: 3, Seed: 1, Device: scope}
			if !method.Entry().Selects {
				o.K = 0
			}
			if _, err := method.Fit(t.Context(), baselinetest.Normal(20, 12, 2), o); err != nil {
				t.Errorf("%s: %v", method.Entry().Name, err)
			}
		}
		scope.Close()
	})
	for _, method := range methods {
		devicetest.KnowsCounts(t, programs, method.Entry().Name)
	}
}
