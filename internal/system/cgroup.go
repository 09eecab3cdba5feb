package system

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Group is a control group around this process.
type Group struct {
	First bool // of the first version, whose files have other names
	root  fs.FS
	dir   string
}

// Groups lists the groups of a controller, such as "memory", from the innermost out. root holds /proc and /sys. In a container the path of
// a group may be that of the machine, which is not to be seen inside: then the mount itself, which comes last, is the group.
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

// Text is what one of the group's files says, without spaces around it; "" where it is not there.
func (g Group) Text(file string) string {
	text, err := fs.ReadFile(g.root, path.Join(g.dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Number is what a file says that holds one whole number; false where it is not there or says something else, such as max.
func (g Group) Number(file string) (int64, bool) {
	n, err := strconv.ParseInt(g.Text(file), 10, 64)
	return n, err == nil
}

// CPUQuota is how many cores' time this process may use at the most, such as 1.5, whichever cores they are; 0 where nobody says.
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
