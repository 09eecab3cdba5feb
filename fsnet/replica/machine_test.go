package replica_test

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
)

// Workers have room together or are refused, by one line with the figures, before a second one begins: no machine holds a hundred thousand.
func TestWorkersHaveRoomTogether(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("SKIPPED: nobody says how much memory there is")
	}
	f := &fleet{role: func(n int) string {
		if n > 0 {
			return "broken"
		}
		return "worker"
	}}
	w := &replica.Workers{Count: replica.MaxReplicas, Command: f.command}
	replicas, err := w.Run(t.Context(), replica.Plan{Settings: quick(t), Replicas: replica.MaxReplicas}, nil)
	if !fault.Is(err, fault.Request) || len(f.made) != 1 || len(replica.Results(replicas)) > 0 {
		t.Fatalf("%d workers were made: %v", len(f.made), err)
	}
	for _, words := range []string{"100000 worker processes do not fit into memory together: each takes ", " GB are ", "use at most "} {
		if text := err.Error(); !strings.Contains(text, words) || strings.Contains(text, "\n") {
			t.Errorf("%q does not say %q", text, words)
		}
	}
}

// Where nobody asks for a number there are as many workers as have room, and a person is told.
func TestAsManyWorkersAsHaveRoom(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("SKIPPED: there is one core")
	}
	for room, want := range map[int]int{1: 1, 2: 2} {
		f := &fleet{}
		var last replica.Progress
		var news []string
		replicas, err := (&replica.Workers{Command: f.command}).On(nil, 2).WithRoom(room).Run(t.Context(), replica.Plan{Settings: quick(t),
			Replicas: 4}, func(p replica.Progress) {
			if last = p; p.News != "" {
				news = append(news, p.News)
			}
		})
		if err != nil || len(replica.Results(replicas)) != 4 || len(f.made) != want || last.Workers != want {
			t.Errorf("room for %d: %d workers were made, the last progress is %+v: %v", room, len(f.made), last, err)
		}
		if told := slices.Contains(news, "1 worker processes at once and not 2, since each takes a lot"); told != (room == 1) || len(news) > 1 {
			t.Errorf("room for %d: a person is told %q", room, news)
		}
	}
}

// Where a quota leaves less than the cores, there are no more workers than it keeps busy, none is bound to a core, and each has one thread.
func TestWorkersUnderAQuota(t *testing.T) {
	all := replica.AllowedCores()
	if len(all) == 0 {
		t.Skip("NOT TESTED: workers are pinned on Linux only")
	}
	for _, c := range []struct {
		quota   float64
		workers int
		pinned  bool
	}{
		{0, min(3, runtime.GOMAXPROCS(0)), true},
		{0.5, 1, false},
		{float64(len(all)) - 0.5, min(3, len(all)), false},
		{float64(len(all)), min(3, len(all)), true},
	} {
		if c.workers > runtime.GOMAXPROCS(0) {
			continue
		}
		f := &fleet{}
		var bound atomic.Int64
		_, err := (&replica.Workers{Command: f.command}).On(all, c.quota).Run(t.Context(), replica.Plan{Settings: quick(t), Replicas: 3},
			func(p replica.Progress) {
				if p.Running > 0 && p.Done == 0 {
					f.mu.Lock()
					defer f.mu.Unlock()
					if len(replica.CoresOf(f.made[0].Process.Pid)) == 1 {
						bound.Store(1)
					} else {
						bound.Store(-1)
					}
				}
			})
		if err != nil || len(f.made) != c.workers {
			t.Errorf("quota %v: %d workers, want %d: %v", c.quota, len(f.made), c.workers, err)
		}
		if len(all) > 1 && (bound.Load() == 1) != c.pinned {
			t.Errorf("quota %v: the first worker is bound to one core: %v, want %v", c.quota, bound.Load() == 1, c.pinned)
		}
		if one := slices.Contains(f.made[0].Env, device.OneThread); one == c.pinned {
			t.Errorf("quota %v: the first worker is told to use one thread: %v", c.quota, one)
		}
	}
}
