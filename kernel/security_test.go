package kernel

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
	"fsnetlab/kernel/jupyter"
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

// busyKernel is a kernel process that has all its children: a host, GoNB and a Go cell that runs, and the language server where there
// is one.
func busyKernel(t *testing.T) (l *lab, pid int) {
	t.Helper()
	l, pid = newProcessLab(t)
	l.ok(openLong + "\n%fsnet run wait=false\n%fsnet panel")
	if _, err := toolchain.Find(installation.Home()); err != nil {
		t.Log("NOT TESTED: Go cells: ", err)
		return l, pid
	}
	l.ask("complete_request", jupyter.CompleteRequest{Code: "fmt.Pri", CursorPos: 7})
	running := l.begin("%%\nfmt.Println(session.Use(\"leukemia\", session.Config{}).Must().Status().Session, \"ready\")\nselect {}")
	if err := running.Until(l.context(), saysReady); err != nil {
		t.Fatal(err)
	}
	return l, pid
}

func TestABusyKernelIsPrivate(t *testing.T) {
	l, pid := busyKernel(t)
	noPortsButThoseOfTheConnectionFile(t, l.connection, pid)
	socketsAndDirectoriesArePrivate(t, pid)
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
func socketsAndDirectoriesArePrivate(t *testing.T, pid int) {
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
	cells, err := filepath.Glob(filepath.Join(os.TempDir(), "fsnet-cells-"+itoa(pid)+"-*"))
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
