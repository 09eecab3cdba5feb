package memory

import (
	"io/fs"
	"strconv"
	"strings"

	"fsnetlab/internal/cgroup"
)

// fromMeminfo is MemAvailable of /proc/meminfo: free memory and what the system can drop.
func fromMeminfo(root fs.FS) *Free {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "MemAvailable:" {
			continue
		}
		if kb, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			return &Free{kb << 10, "free on this machine"}
		}
	}
	return nil
}

// fromGroups is what the control groups around this process leave.
func fromGroups(root fs.FS) *Free {
	var free *Free
	for _, g := range cgroup.Around(root, "memory") {
		limitName, usageName, cacheName := "memory.max", "memory.current", "inactive_file"
		if g.First {
			limitName, usageName, cacheName = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		limit, ok := g.Number(limitName)
		usage, known := g.Number(usageName)
		if ok && known && limit < 1<<60 { // the first version writes a huge number for no limit
			left := limit - usage + cache(g, cacheName)
			free = least(free, &Free{min(max(left, 0), limit), "left by the memory limit of this container"})
		}
	}
	return free
}

// cache is what the group holds of files and can drop.
func cache(g cgroup.Group, key string) int64 {
	for line := range strings.Lines(g.Text("memory.stat")) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == key {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				return max(n, 0)
			}
		}
	}
	return 0
}
