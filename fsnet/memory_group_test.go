package fsnet

import "testing"

// A group takes more with every member, less than that many trainings apart, and the largest that fits is the last that fits.
func TestMemoryOfAGroup(t *testing.T) {
	data, settings := wide(72, 20_000), settingsFor(t, Config{K: 10})
	for _, backend := range Backends() {
		s := planSizes(data, settings, backend)
		single := s.plan()
		last := int64(0)
		for _, members := range []int{1, 2, 20, 100} {
			p := s.together(members)
			all := p.Host + p.Device
			if all <= last {
				t.Errorf("%s: %d members take %d bytes, fewer took %d", backend, members, all, last)
			}
			if apart := int64(members) * (single.Host + single.Device); members > 1 && all >= apart {
				t.Errorf("%s: %d members take %d bytes together, apart %d", backend, members, all, apart)
			}
			last = all
		}
		fits := room{host: -1, device: -1}
		limit := s.together(7)
		if backend == "xla:cuda" {
			fits.device = limit.Device
		} else {
			fits.host = limit.ToCome()
		}
		if got := fits.largestGroup(s, 50); got != 7 {
			t.Errorf("%s: %d members have the room of 7", backend, got)
		}
		if got := fits.largestGroup(s, 3); got != 3 {
			t.Errorf("%s: %d members of 3 have room", backend, got)
		}
		if got := (room{host: 1, device: 1}).largestGroup(s, 50); got != 1 {
			t.Errorf("%s: %d members without room", backend, got)
		}
	}
}
