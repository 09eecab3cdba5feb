package system

import (
	"runtime"
	"testing"
	"testing/fstest"
)

// tree makes a file system of files and their contents.
func tree(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// The available memory is the least of the system's and of each cgroup's, or
// unknown.
func TestAvailableMemory_Sources(t *testing.T) {
	const meminfo = "MemTotal:       24000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  int64 // −1: unknown
	}{
		{"nothing is known", nil, -1},
		{"a machine", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice\n"}, 8000000 << 10},
		{"an old kernel", map[string]string{"proc/meminfo": "MemTotal: 1 kB\nMemFree: 1 kB\n"}, -1},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "2000000000\n", "sys/fs/cgroup/a/b/memory.current": "1500000000\n",
			"sys/fs/cgroup/a/b/memory.stat": "anon 1\nfile 5\ninactive_file 300000000\n",
		}, 800000000},
		{"the limit is further up", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "5\n",
			"sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/memory.current": "400\n",
		}, 600},
		{"seen from inside a container", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/kubepods/pod1\n",
			"sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "400\n",
		}, 600},
		{"over the limit", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000\n", "sys/fs/cgroup/memory.current": "1400\n",
		}, 0},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "9:cpuset:/x\n5:cpu,memory:/job\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "5000\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "2000\n",
			"sys/fs/cgroup/memory/job/memory.stat": "inactive_file 1\ntotal_inactive_file 500\n",
		}, 3500},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "2000\n",
		}, 8000000 << 10},
		{"a limit above what the machine has", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "99000000000\n", "sys/fs/cgroup/memory.current": "1\n",
		}, 8000000 << 10},
		{"nonsense", map[string]string{"proc/meminfo": "MemAvailable: x kB\nMemAvailable:\n", "proc/self/cgroup": "x\n::\n0::\n"}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			free := linux(tree(test.files))
			switch {
			case free == nil && test.want != -1:
				t.Errorf("unknown, want %d", test.want)
			case free != nil && free.Bytes != test.want:
				t.Errorf("%d (%s), want %d", free.Bytes, free.Source, test.want)
			}
		})
	}
}

// This system says how much memory is available.
func TestAvailableMemory_OnThisSystem(t *testing.T) {
	free := AvailableMemory()
	if free == nil {
		if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
			t.Error("nobody says how much memory there is")
		}
		return
	}
	if free.Bytes < 1<<20 || free.Source == "" {
		t.Errorf("%+v", free)
	}
}

// Memory that is no longer used goes back to the system. A few bytes start no
// collection.
func TestGiveBackMemory_Sizes(t *testing.T) {
	block := make([]byte, 256<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runtime.KeepAlive(block)
	GiveBackMemory(256 << 20)
	runtime.ReadMemStats(&after)
	if held := func(m runtime.MemStats) uint64 { return m.HeapSys - m.HeapReleased }; held(after)+200<<20 > held(before) {
		t.Errorf("held %d bytes before and %d after", held(before), held(after))
	}
	GiveBackMemory(large - 1)
	var small runtime.MemStats
	runtime.ReadMemStats(&small)
	if small.NumForcedGC != after.NumForcedGC {
		t.Error("a few bytes made a collection")
	}
}
