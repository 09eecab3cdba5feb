package memory

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
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

// fromGroups is what the control groups around this process leave, in their second version or their first.
func fromGroups(root fs.FS) *Free {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var free *Free
	for line := range strings.Lines(string(text)) { // 0::/a/b, or 5:cpu,memory:/a/b
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[0] == "0" && fields[1] == "":
			free = least(free, above(root, "sys/fs/cgroup", fields[2], "memory.max", "memory.current", "inactive_file"))
		case hasWord(fields[1], "memory"):
			free = least(free, above(root, "sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return free
}

func hasWord(list, word string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if item == word {
			return true
		}
	}
	return false
}

// above looks at a group and all above it, each of which may have a limit. In a container the group's path may be that of the machine,
// which is not to be seen inside: then the mount itself is the group.
func above(root fs.FS, mount, group, limitName, usageName, cacheName string) *Free {
	var free *Free
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		dir := path.Join(mount, group)
		limit, ok := number(root, path.Join(dir, limitName))
		usage, known := number(root, path.Join(dir, usageName))
		if ok && known && limit < 1<<60 { // the first version writes a huge number for no limit
			left := limit - usage + cache(root, path.Join(dir, "memory.stat"), cacheName)
			free = least(free, &Free{min(max(left, 0), limit), "left by the memory limit of this container"})
		}
		if group == "/" {
			return free
		}
	}
}

func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no limit
	return n, err == nil
}

// cache is what the group holds of files and can drop.
func cache(root fs.FS, name, key string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == key {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				return max(n, 0)
			}
		}
	}
	return 0
}
