package process

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// List gives the processes that can be seen, in no order. It takes a few milliseconds.
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

// read gives a process; ok is false where it has ended meanwhile or waits to be reaped only.
func read(id int) (p Info, ok bool) {
	fields := stat(id)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, false
	}
	p.ID = id
	var errs [4]error
	p.Parent, errs[0] = strconv.Atoi(fields[1])
	p.Group, errs[1] = strconv.Atoi(fields[2])
	p.Session, errs[2] = strconv.Atoi(fields[3])
	p.Started, errs[3] = strconv.ParseUint(fields[19], 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// stat is what the system tells of a process: state parent group session … started; nil of one that is gone.
func stat(id int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // behind the id and the name
}

// Detail fills in what the list leaves out: the command, and what an interrupt does.
func (p *Info) Detail() {
	place := "/proc/" + strconv.Itoa(p.ID)
	if command, err := os.ReadFile(place + "/cmdline"); err == nil {
		p.Command = strings.Split(strings.TrimSuffix(string(command), "\x00"), "\x00")
	}
	status, err := os.ReadFile(place + "/status")
	if err != nil {
		return
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		name, mask, _ := strings.Cut(line, ":")
		if name != "SigIgn" && name != "SigCgt" {
			continue
		}
		signals, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
		if err != nil {
			continue
		}
		has := signals&(1<<(syscall.SIGINT-1)) != 0
		if name == "SigIgn" {
			p.Ignores = has
		} else {
			p.Catches = has
		}
	}
}

// Stopped reports whether a process was stopped, as by Ctrl-Z or SIGSTOP.
func Stopped(id int) bool {
	fields := stat(id)
	return len(fields) > 0 && (fields[0] == "T" || fields[0] == "t")
}

// Visible reports whether the processes of this machine can be seen here, with all that Info has of them.
func Visible() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// environment is that with which a process was started, as far as it may be seen and the process has not written over it.
func (p Info) environment() []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.ID) + "/environ")
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}

// near reports whether a process counts its numbers as this one does: one in a container of its own does not.
func (p Info) near() bool {
	own, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return true // a system without containers
	}
	theirs, err := os.Readlink("/proc/" + strconv.Itoa(p.ID) + "/ns/pid")
	return err == nil && own == theirs
}

// Now is the present moment. A tick is long enough to start programs in, so the number given last counts, too.
func Now() Moment {
	var m Moment
	if uptime, err := os.ReadFile("/proc/uptime"); err == nil { // seconds to the hundredth, which a tick is
		seconds, _, _ := strings.Cut(string(uptime), " ")
		if now, err := strconv.ParseFloat(seconds, 64); err == nil {
			m.ticks = uint64(math.Round(now * 100))
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if fields := strings.Fields(string(load)); len(fields) == 5 {
			m.last, _ = strconv.Atoi(fields[4]) //nolint:errcheck // 0 where it is none
		}
	}
	return m
}

// peer is the process that has connected to a socket; 0 is not known, such as one in a container of its own.
func peer(fd int) int {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0
	}
	return int(who.Pid)
}

func withDeathSignal(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
