package system

import (
	"fmt"
	"io/fs"
	"runtime/debug"
	"strconv"
	"strings"
)

// FreeMemory is memory that may still be taken.
type FreeMemory struct {
	Bytes  int64
	Source string // who says so, for people
}

// large is from where on it is worth to stop and collect: a collection costs some milliseconds.
const large = 64 << 20

// GiveBackMemory returns garbage to the system where the caller has just dropped that many bytes or more. Go lets garbage grow to the size of
// what is in use before it collects, and keeps it for later: with data of gigabytes that doubles what a training takes.
func GiveBackMemory(dropped int64) {
	if dropped >= large {
		debug.FreeOSMemory()
	}
}

// least is the smaller of two, of which one may be unknown.
func least(a, b *FreeMemory) *FreeMemory {
	if a == nil || b != nil && b.Bytes < a.Bytes {
		return b
	}
	return a
}

// linux reads /proc and /sys below a root.
func linux(root fs.FS) *FreeMemory {
	return least(fromMeminfo(root), fromGroups(root))
}

// Bytes is a number of bytes for people: "12 MB", "3.4 GB".
func Bytes(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// fromMeminfo is MemAvailable of /proc/meminfo: free memory and what the system can drop.
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

// fromGroups is what the control groups around this process leave.
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
			left := limit - usage + cache(g, cacheName)
			free = least(free, &FreeMemory{min(max(left, 0), limit), "left by the memory limit of this container"})
		}
	}
	return free
}

// cache is what the group holds of files and can drop.
func cache(g Group, key string) int64 {
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
