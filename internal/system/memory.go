package system

import (
	"fmt"
	"io/fs"
	"runtime/debug"
	"strconv"
	"strings"
)

// FreeMemory is how much memory can still be allocated.
type FreeMemory struct {
	Bytes  int64
	Source string // what limits it, for people
}

// large is the number of bytes of garbage that justifies a collection of some
// milliseconds.
const large = 64 << 20

// GiveBackMemory returns garbage to the system if the caller has just dropped a
// large number of bytes. Go lets garbage grow to the size of live memory before
// it collects, and keeps it for later use. With gigabytes of data this would
// double the memory of a training.
func GiveBackMemory(dropped int64) {
	if dropped >= large {
		debug.FreeOSMemory()
	}
}

// smaller returns the smaller of two amounts. nil means that an amount is
// unknown.
func smaller(a, b *FreeMemory) *FreeMemory {
	if a == nil || b != nil && b.Bytes < a.Bytes {
		return b
	}
	return a
}

// linux returns the free memory of the machine or what the control groups
// allow, whichever is less. It reads /proc and /sys below root. If both are
// unknown, it returns nil.
func linux(root fs.FS) *FreeMemory {
	return smaller(fromMeminfo(root), fromGroups(root))
}

// Bytes formats a number of bytes: "12 MB", "3.4 GB".
func Bytes(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// fromMeminfo returns MemAvailable of /proc/meminfo: free memory and memory
// that the system can reclaim. If it is missing, it returns nil.
func fromMeminfo(root fs.FS) *FreeMemory {
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
			return &FreeMemory{kb << 10, "free on this machine"}
		}
	}
	return nil
}

// fromGroups returns how much memory the tightest control group around this
// process still allows. If there is no limit, it returns nil.
func fromGroups(root fs.FS) *FreeMemory {
	var free *FreeMemory
	for _, g := range Groups(root, "memory") {
		limitName, usageName, cacheName := "memory.max", "memory.current", "inactive_file"
		if g.First {
			limitName, usageName, cacheName = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		limit, ok := g.Number(limitName)
		usage, known := g.Number(usageName)
		if ok && known && limit < 1<<60 { // the first version writes a huge number for no limit
			left := limit - usage + reclaimable(g, cacheName)
			free = smaller(free, &FreeMemory{min(max(left, 0), limit), "left by the memory limit of this container"})
		}
	}
	return free
}

// reclaimable returns the number of bytes of the group's file cache that can be
// reclaimed, or 0 if it is unknown.
func reclaimable(g Group, key string) int64 {
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
