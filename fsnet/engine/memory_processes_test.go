package engine

import "testing"

// As many trainings have room at the same time as their own parts fit next to
// the program and the data.
func TestProcesses_ThatHaveRoom(t *testing.T) {
	p := MemoryPlan{Backend: "xla:cpu", Host: 1000, Held: 400}
	gpu := MemoryPlan{Backend: "xla:cuda", Host: 1000, Device: 300, Held: 400}
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
		{p, room{host: 3600e6, device: -1, hostSource: "free here"}, 8e6, 6e6, "each takes 0 MB, and 3.6 GB are free here"},
		{p, room{host: 2399, device: -1}, 4, 3, "each takes 0 MB, and 0 MB are "},
		{p, room{host: 10, device: -1}, 4, 1, "each takes 0 MB, and 0 MB are "}, // whether one has room it says itself
		{gpu, room{host: 1e6, device: 700, deviceSource: "free on a GPU"}, 4, 2, "each takes 0 MB, and 0 MB are free on a GPU"},
		{gpu, room{host: 2000, device: 1e6}, 4, 3, "each takes 0 MB, and 0 MB are "},
	} {
		if count, why := test.room.sideBySide(test.plan, test.most); count != test.count || why != test.why {
			t.Errorf("%+v, at most %d: %d, %q; want %d, %q", test.room, test.most, count, why, test.count, test.why)
		}
	}
}
