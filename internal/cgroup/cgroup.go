// Package cgroup reads the limits that Linux's control groups set to this process, in their second version and their first.
//
// # Basics
//
// [Around] lists the groups around this process, each of which may have a limit; [Quota] is the processor time that they leave.
//
// # Caveats
//
// Elsewhere than on Linux there are none: Around is empty.
package cgroup

import (
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

// Around lists the groups of a controller, such as "memory", from the innermost out. root holds /proc and /sys. In a container the path of
// a group may be that of the machine, which is not to be seen inside: then the mount itself, which comes last, is the group.
func Around(root fs.FS, controller string) []Group {
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
