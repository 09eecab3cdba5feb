package device_test

import (
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/tests/kit/devicetest"
)

// A result that no memory holds is an error with a remedy, and the device still
// works.
func TestCall_NoRoom(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if d.Name == "go" { // Go ends a process that has no memory left
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			room := 1 << 46 // floats: more than a process can address
			if d.Name == "xla:cuda" {
				room = 1 << 36 // 256 GiB: more than a card has, and few enough for a kernel
			}
			scope := device.ScopeOn(d)
			defer scope.Close()
			repeated := func(key string, n int) ([]float32, error) {
				return device.Numbers[float32](scope, key, func(in []*graph.Node) []*graph.Node {
					return []*graph.Node{graph.BroadcastToDims(in[0], n)}
				}, float32(3))
			}
			_, err := repeated("large", room)
			if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), "too little memory") {
				t.Errorf("%d numbers: %v", room, err)
			}
			if list, err := repeated("small", 2); err != nil || len(list) != 2 || list[1] != 3 {
				t.Errorf("afterwards: %v, %v", list, err)
			}
		})
	}
}
