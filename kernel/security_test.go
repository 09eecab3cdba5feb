package kernel

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
	"fsnetlab/tests/kit/otheruser"
)

// sockets lists what the processes below a kernel hold of the system's table of sockets: tcp, udp, unix, ….
func sockets(t *testing.T, pid int, table string) [][]string {
	t.Helper()
	text, err := os.ReadFile("/proc/net/" + table)
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	held := map[string]bool{}
	for _, id := range append(descendantsOf(t, pid), pid) {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", id))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if target, err := os.Readlink(file); err == nil {
				held[target] = true
			}
		}
	}
	inode := 9 // of tcp and udp
	if table == "unix" {
		inode = 6
	}
	var list [][]string
	for line := range strings.SplitSeq(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > inode && held["socket:["+fields[inode]+"]"] {
			list = append(list, fields)
		}
	}
	return list
}

// A kernel process with all its children: a host, GoNB, a Go cell that runs,
// and the language server where there is one. No other user can reach it, and a
// flood of output leaves it small.
func TestKernel_BusyAndPrivate(t *testing.T) {
	dir := otheruser.Directory(t)
	cmd := exec.Command(testBinary())
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "TMPDIR="+dir)
	l, pid := newProcessLab(t, cmd, t.TempDir())
	l.OK(openLong + "\n%fsnet run wait=false\n%fsnet panel")
	if _, err := gonb.FindTools(system.Home()); err == nil {
		l.Ask("complete_request", jupyter.CompleteRequest{Code: "fmt.Pri", CursorPos: 7})
		running := l.Begin("%%\nfmt.Println(session.Use(\"leukemia\", session.Config{}).Must().Status().Session, \"ready\")\nselect {}")
		l.Until(running, fronttest.Says("ready"))
	} else {
		t.Log("NOT TESTED: Go cells: ", err)
	}
	noPortsButThoseOfTheConnectionFile(t, l.Connection, pid)
	socketsAndDirectoriesArePrivate(t, dir, pid)
	l.in(t, "another user", func(t *testing.T, _ *lab) { anotherUserIsKeptOut(t, dir, pid) })
	l.Interrupt()
	if l.Run("%fsnet close\n%%\nfmt.Print(1)").Status == "ok" {
		aFloodOfOutput(t, l, pid)
	}
}

// Nobody listens on the network but at the five ports of the connection file, whatever runs.
func noPortsButThoseOfTheConnectionFile(t *testing.T, c jupyter.Connection, pid int) {
	t.Helper()
	want := []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort}
	slices.Sort(want)
	const listening = "0A"
	var got []int
	for _, table := range []string{"tcp", "tcp6"} {
		for _, fields := range sockets(t, pid, table) {
			if fields[3] != listening {
				continue
			}
			address, text, _ := strings.Cut(fields[1], ":")
			port, err := strconv.ParseUint(text, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			if address != "0100007F" { // 127.0.0.1, as the connection file says
				t.Errorf("somebody listens at %s", fields[1])
			}
			got = append(got, int(port))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the kernel and its children listen at %v, want %v", got, want)
	}
	for _, table := range []string{"udp", "udp6", "raw", "raw6"} {
		if list := sockets(t, pid, table); len(list) > 0 {
			t.Errorf("%s: %v", table, list)
		}
	}
}

// Sockets with a name lie in directories of mode 0700; the kernel's own have 0600; none is in the abstract name space, which knows no
// rights. What else is written for the kernel alone can be read by its user alone.
func socketsAndDirectoriesArePrivate(t *testing.T, dir string, pid int) {
	t.Helper()
	named := 0
	directories := map[string]bool{}
	for _, fields := range sockets(t, pid, "unix") {
		if len(fields) < 8 {
			continue // unnamed
		}
		path := fields[7]
		named++
		if strings.HasPrefix(path, "@") {
			t.Errorf("the abstract socket %s", path)
			continue
		}
		directories[filepath.Dir(path)] = true
		info, err := os.Lstat(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if base := filepath.Base(path); (base == "cells" || base == "host") && info.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%s is %v", path, info.Mode())
		}
	}
	if named < 2 {
		t.Errorf("%d sockets have names", named)
	}
	cells, err := filepath.Glob(filepath.Join(dir, "fsnet-cells-"+itoa(pid)+"-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range cells {
		directories[dir] = true
	}
	for dir := range directories {
		info, err := os.Lstat(dir)
		if err != nil || info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("%s is %v, %v", dir, info.Mode(), err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files { // GoNB's connection file holds a key
			if info, err := os.Lstat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s is %v, %v", file, info.Mode(), err)
			}
		}
	}
	t.Logf("%d sockets in %v", named, directories)
}

// beStranger tries to get at paths and says how it went, a line each: list and read of files and directories, connect to a socket; or tries
// to end a process as the interrupter of a cell does.
func beStranger(attempts []string) int {
	for _, attempt := range attempts {
		how, path, _ := strings.Cut(attempt, ":")
		var err error
		switch how {
		case "list":
			_, err = os.ReadDir(path)
		case "read":
			_, err = os.ReadFile(path)
		case "end":
			h := process.NewInterrupter(0)
			h.Signal(process.Info{ID: 1, Command: []string{path}}, 0)
			fmt.Println(h.OutOfReach())
		case "connect":
			var conn net.Conn
			if conn, err = net.Dial("unix", path); err == nil {
				conn.Close()
			}
		}
		fmt.Println(attempt, err == nil, err)
	}
	return 0
}

// Another user gets at nothing that a kernel has: neither at its sockets nor at its directories nor at the keys in its files, even where
// everybody may list the directory above.
func anotherUserIsKeptOut(t *testing.T, dir string, pid int) {
	otheruser.Stranger(t) // or skip
	var attempts []string
	for _, pattern := range []string{"fsnet-kernel-" + itoa(pid) + "-*", "fsnet-cells-" + itoa(pid) + "-*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, top := range found {
			err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return nil //nolint:nilerr // it has gone
				case entry.IsDir():
					attempts = append(attempts, "list:"+path)
				case entry.Type()&fs.ModeSocket != 0:
					attempts = append(attempts, "connect:"+path)
				case strings.HasSuffix(path, ".json"):
					attempts = append(attempts, "read:"+path)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	connects := slices.IndexFunc(attempts, func(a string) bool { return strings.HasPrefix(a, "connect:") && strings.HasSuffix(a, "/cells") })
	if connects < 0 {
		t.Fatalf("no socket for cells in %q", attempts)
	}
	// What is open to everybody a stranger gets at: the attempts can succeed.
	open, socket := filepath.Join(dir, "open"), filepath.Join(dir, "socket")
	if err := os.WriteFile(open, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	allowed := []string{"list:" + dir, "read:" + open, "connect:" + socket}
	stranger := otheruser.Stranger(t, append(append([]string{"stranger"}, attempts...), allowed...)...)
	out, err := stranger.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, attempt := range attempts {
		if !strings.Contains(string(out), attempt+" false") || strings.Contains(string(out), attempt+" true") {
			t.Errorf("another user gets at %s: %s", attempt, out)
		}
	}
	for _, attempt := range allowed {
		if !strings.Contains(string(out), attempt+" true") {
			t.Errorf("a stranger is no stranger, or cannot %s: %s", attempt, out)
		}
	}
	t.Logf("kept out of %d", len(attempts))
}

// If another user's programs, such as sudo, keep a cell from ending, they are
// named.
func TestKernel_NamesWhatItCannotEnd(t *testing.T) {
	out, err := otheruser.Stranger(t, "stranger", "end:/usr/bin/sudo").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "; another user's sudo (process 1) cannot be ended from here and keeps running\n") {
		t.Errorf("%q, %v", out, err)
	}
	h := process.NewInterrupter(0)
	h.Signal(process.Info{ID: os.Getpid()}, 0)
	if said := h.OutOfReach(); said != "" {
		t.Errorf("of one's own: %q", said)
	}
}

// A directory without read permission offers nothing, and such a table no
// columns. The line completes as if they were empty.
func TestKernel_CompletionWithoutPermission(t *testing.T) {
	dir := otheruser.Directory(t)
	closed := filepath.Join(dir, "closed")
	table := filepath.Join(dir, "closed.csv")
	for _, path := range []string{closed, filepath.Join(dir, "open")} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "cohort.csv"), []byte("sample,diagnosis\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(table, []byte("sample,diagnosis\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700) //nolint:errcheck // so that it can be removed
	cmd := otheruser.Unprivileged(t)
	cmd.Env = append(cmd.Env, withoutGo+"=1")
	l, _ := newProcessLab(t, cmd, cmd.Dir)
	for _, c := range []struct {
		line string
		want []string
	}{
		{"%fsnet open x data=" + dir + "/open/", []string{"data=" + dir + "/open/cohort.csv"}},
		{"%fsnet open x data=" + dir + "/open/cohort.csv label=", []string{"label=sample", "label=diagnosis"}},
		{"%fsnet open x data=" + dir + "/closed/", nil},
		{"%fsnet open x data=" + dir + "/closed/co", nil},
		{"%fsnet open x data=" + table + " label=", nil},
	} {
		var reply jupyter.CompleteReply
		if err := l.Ask("complete_request", jupyter.CompleteRequest{Code: c.line, CursorPos: len(c.line)}).Reply.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		if reply.Status != "ok" || !slices.Equal(reply.Matches, c.want) {
			t.Errorf("%s: %s, %q, want %q", c.line, reply.Status, reply.Matches, c.want)
		}
	}
}
