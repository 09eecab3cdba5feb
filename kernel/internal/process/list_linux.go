package process

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// List returns the visible processes in no particular order. It takes a few
// milliseconds.
func List() ([]Info, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()

	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}

	var list []Info
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			if p, ok := read(id); ok {
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// read returns a process. ok is false if the process has ended or is a zombie.
func read(id int) (p Info, ok bool) {
	fields := stat(id)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, false
	}

	p.ID = id
	var errs [3]error
	p.Parent, errs[0] = strconv.Atoi(fields[1])
	p.Session, errs[1] = strconv.Atoi(fields[3])
	p.Started, errs[2] = strconv.ParseUint(fields[19], 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// stat returns the fields of /proc/ID/stat, starting with the third: state,
// parent, group, session and so on; element 19 is the start time. It returns
// nil if the process has ended.
func stat(id int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // after the id and the name
}

// Detail fills in the command and the handling of interrupts, because List
// omits them.
func (p *Info) Detail() {
	place := "/proc/" + strconv.Itoa(p.ID)
	if command, err := os.ReadFile(place + "/cmdline"); err == nil {
		p.Command = strings.Split(strings.TrimSuffix(string(command), "\x00"), "\x00")
	}

	status, _ := os.ReadFile(place + "/status") // empty if the process has ended
	for line := range strings.SplitSeq(string(status), "\n") {
		if mask, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			signals, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			p.Ignores = err == nil && signals&(1<<(syscall.SIGINT-1)) != 0
		}
	}
}

// Stopped reports whether a process is stopped, for example by Ctrl-Z or
// SIGSTOP.
func Stopped(id int) bool {
	fields := stat(id)
	return len(fields) > 0 && (fields[0] == "T" || fields[0] == "t")
}

// Visible reports whether List and Detail work on this system.
func Visible() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// keep is the environment variable of a program that should outlive its cell
// and the kernel. Such a program runs in a new session (setsid).
const keep = "FSNET_KEEP="

// isKept reports whether a process should outlive its cell. It takes a few
// system calls.
func (p Info) isKept() bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(p.ID) + "/environ") // empty if it can't be read
	for variable := range strings.SplitSeq(string(text), "\x00") {
		if value, ok := strings.CutPrefix(variable, keep); ok && value != "" && value != "0" {
			return true
		}
	}
	return false
}

// Ancestry returns a process and its visible ancestors, nearest first.
func Ancestry(id int) (list []Key) {
	for id > 1 && len(list) < 100 {
		p, ok := read(id)
		if !ok {
			break
		}
		list = append(list, p.Key())
		id = p.Parent
	}
	return list
}

// AdoptOrphans makes this process the parent of its descendants whose parents
// have ended.
func AdoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } //nolint:errcheck // without it orphans stay

// EndOrphans ends the processes that this process has adopted. They are its
// children in other sessions, because it starts its own children in its
// session.
func EndOrphans() {
	own, ok := read(os.Getpid())
	list, err := List()
	if !ok || err != nil {
		return
	}

	var orphans []Info
	for _, p := range list {
		if p.Parent == own.ID && p.Session != own.Session {
			orphans = append(append(orphans, p), Below(list, p.ID, nil)...)
		}
	}

	End(orphans)
	for _, p := range orphans {
		if p.Parent == own.ID && !p.isKept() {
			unix.Wait4(p.ID, nil, unix.WNOHANG, nil) //nolint:errcheck // it was killed
		}
	}
}

// Peer returns the id of the process that has connected to a Unix socket. It
// returns 0 if the id is unknown, as for a process in another container.
func Peer(conn net.Conn) (id int) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return 0
	}

	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}

	raw.Control(func(fd uintptr) { //nolint:errcheck // 0 then
		if who, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			id = int(who.Pid)
		}
	})
	return id
}

func withDeathSignal(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
