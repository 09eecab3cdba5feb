package system

import "testing"

// The processor quota is the least of the process's cgroups, of version 1 or 2,
// also inside a container.
func TestQuota_Cgroups(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  float64
	}{
		{"no groups", nil, 0},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n"}, 1.5},
		{"version 2 without a limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, 0},
		{"the limit is further up", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "800000 100000\n", "sys/fs/cgroup/a/cpu.max": "50000 100000\n",
		}, 0.5},
		{"seen from inside a container",
			map[string]string{"proc/self/cgroup": "0::/kubepods/pod1\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		{"version 1", map[string]string{
			"proc/self/cgroup":                           "9:cpuset:/x\n5:cpu,cpuacct:/job\n",
			"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us":     "300000\n",
			"sys/fs/cgroup/cpu/job/cpu.cfs_period_us":    "100000\n",
			"sys/fs/cgroup/cpuset/x/cpuset.cpus":         "0-7\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "-1\n",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n",
			"sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us":    "1\n",
			"sys/fs/cgroup/cpuacct/job/cpu.cfs_quota_us": "1\n",
		}, 3},
		{"version 1 without a limit", map[string]string{
			"proc/self/cgroup": "5:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, 0},
		{"nonsense", map[string]string{"proc/self/cgroup": "x\n::\n0::\n", "sys/fs/cgroup/cpu.max": "1 0\n"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := CPUQuota(tree(test.files)); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
