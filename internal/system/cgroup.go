package system

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Group is a control group that contains this process.
type Group struct {
	First bool // cgroup version 1, whose files have other names
	root  fs.FS
	dir   string
}

// Groups returns the control groups of this process for one controller, such as
// "memory", from the innermost to the outermost. If the system does not show
// any, it returns nil. root must contain /proc and /sys. Inside a container the
// path may be the host's and not visible. In that case the mount itself, which
// comes last, serves as the group.
func Groups(root fs.FS, controller string) []Group {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var groups []Group
	for line := range strings.Lines(string(text)) { // 0::/a/b, or 5:cpu,memory:/a/b
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mount, first := "sys/fs/cgroup", false
		switch {
		case fields[0] == "0" && fields[1] == "":
		case slices.Contains(strings.Split(fields[1], ","), controller):
			mount, first = path.Join(mount, controller), true
		default:
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			groups = append(groups, Group{first, root, path.Join(mount, group)})
			if group == "/" {
				break
			}
		}
	}
	return groups
}

// Text returns the content of one of the group's files, without surrounding
// spaces. If the file does not exist, it returns "".
func (g Group) Text(file string) string {
	text, err := fs.ReadFile(g.root, path.Join(g.dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Number returns the integer in one of the group's files. If the file is
// missing or contains something else, such as max, ok is false.
func (g Group) Number(file string) (int64, bool) {
	n, err := strconv.ParseInt(g.Text(file), 10, 64)
	return n, err == nil
}

// CPUQuota returns how many cores this process may use on average, such as 1.5.
// If there is no limit, it returns 0.
func CPUQuota(root fs.FS) float64 {
	least := 0.0
	for _, g := range Groups(root, "cpu") {
		var quota, period int64
		if g.First {
			quota, _ = g.Number("cpu.cfs_quota_us") // −1: no limit
			period, _ = g.Number("cpu.cfs_period_us")
		} else if _, err := fmt.Sscan(g.Text("cpu.max"), &quota, &period); err != nil {
			continue // max 100000: no limit
		}
		if quota <= 0 || period <= 0 {
			continue
		}
		if cores := float64(quota) / float64(period); least == 0 || cores < least {
			least = cores
		}
	}
	return least
}
