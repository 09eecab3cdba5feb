package engine

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
)

// A group takes more with every member, less than that many trainings apart, and the largest that fits is the last that fits.
func TestMemoryOfAGroup(t *testing.T) {
	data, settings := wide(72, 20_000), settingsFor(t, config.Config{K: 10})
	for _, backend := range device.Backends() {
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
		if got := fits.largestVectorized(s, 50); got != 7 {
			t.Errorf("%s: %d members have the room of 7", backend, got)
		}
		if got := fits.largestVectorized(s, 3); got != 3 {
			t.Errorf("%s: %d members of 3 have room", backend, got)
		}
		if got := (room{host: 1, device: 1}).largestVectorized(s, 50); got != 1 {
			t.Errorf("%s: %d members without room", backend, got)
		}
	}
}

// As many processes have room as their plans say, of which the first one has its data already.
func TestProcessesThatHaveRoom(t *testing.T) {
	p := MemoryPlan{Backend: "xla:cpu", Host: 1000, Lines: []MemoryLine{{Bytes: 400, Held: true}}}
	gpu := MemoryPlan{Backend: "xla:cuda", Host: 1000, Device: 300, Lines: p.Lines}
	for _, test := range []struct {
		plan  MemoryPlan
		room  room
		most  int
		count int
		why   string
	}{
		{p, room{host: -1, device: -1}, 50, 50, ""},
		{p, room{host: 1e6, device: -1}, 50, 50, ""},
		{p, room{host: 3600, device: -1}, 4, 4, ""},
		{p, room{host: 3600e6, device: -1, hostSource: "free here"}, 4e6, 3600e3, "each takes 0 MB, and 3.6 GB are free here"},
		{p, room{host: 3599, device: -1}, 4, 3, "each takes 0 MB, and 0 MB are "},
		{p, room{host: 10, device: -1}, 4, 1, "each takes 0 MB, and 0 MB are "}, // whether one has room it says itself
		{gpu, room{host: 1e6, device: 700, deviceSource: "free on a GPU"}, 4, 2, "each takes 0 MB, and 0 MB are free on a GPU"},
		{gpu, room{host: 2000, device: 1e6}, 4, 2, "each takes 0 MB, and 0 MB are "},
	} {
		if count, why := test.room.processes(test.plan, test.most); count != test.count || why != test.why {
			t.Errorf("%+v, at most %d: %d, %q; want %d, %q", test.room, test.most, count, why, test.count, test.why)
		}
	}
}
