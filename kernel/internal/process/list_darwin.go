package process

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// States of a process, of sys/proc.h.
const (
	stopped = 4
	zombie  = 5
)

// Stopped reports whether a process was stopped, as by Ctrl-Z or SIGSTOP.
func Stopped(id int) bool {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", id)
	return err == nil && p.Proc.P_stat == stopped
}

// List gives the user's processes, in no order.
func List() ([]Info, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", unix.Getuid())
	if err != nil {
		return nil, err
	}
	var list []Info
	for _, p := range all {
		if p.Proc.P_stat == zombie {
			continue
		}
		info := Info{
			ID: int(p.Proc.P_pid), Parent: int(p.Eproc.Ppid), Group: int(p.Eproc.Pgid), Started: ticks(p.Proc.P_starttime.Sec,
				int64(p.Proc.P_starttime.Usec)),
			Ignores: has(p.Proc.P_sigignore), Catches: has(p.Proc.P_sigcatch),
		}
		if session, err := unix.Getsid(info.ID); err == nil {
			info.Session = session
		}
		list = append(list, info)
	}
	return list, nil
}

func has(signals uint32) bool { return signals&(1<<(syscall.SIGINT-1)) != 0 }

// ticks are microseconds.
func ticks(seconds, micro int64) uint64 { return uint64(seconds)*1_000_000 + uint64(micro) }

// Visible reports that what Info has of a process is not sure: newer systems may leave out what an interrupt does to it, and the
// environment of the system's own programs.
func Visible() bool { return false }

// Detail fills in the command, and looks again at what an interrupt does.
func (p *Info) Detail() {
	p.Command, _ = p.arguments()
	if now, err := unix.SysctlKinfoProc("kern.proc.pid", p.ID); err == nil {
		p.Ignores, p.Catches = has(now.Proc.P_sigignore), has(now.Proc.P_sigcatch)
	}
}

// environment is that with which a process was started, as far as the system tells.
func (p Info) environment() []string {
	_, env := p.arguments()
	return env
}

// arguments are the words of a process's command and its environment. The system gives a count, the program's path, zeros, and then both.
func (p Info) arguments() (command, env []string) {
	text, err := unix.SysctlRaw("kern.procargs2", p.ID)
	if err != nil || len(text) < 4 {
		return nil, nil
	}
	count := int(binary.NativeEndian.Uint32(text))
	_, rest, _ := bytes.Cut(text[4:], []byte{0})
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	count = min(max(count, 0), len(words))
	return words[:count], words[count:]
}

func (p Info) near() bool { return true }

// Now is the present moment.
func Now() Moment {
	now := time.Now()
	return Moment{ticks: ticks(now.Unix(), int64(now.Nanosecond()/1000)), last: math.MaxInt}
}

// peer is the process that has connected to a socket; 0 is not known.
func peer(fd int) int {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return 0
	}
	return pid
}

// withDeathSignal does nothing: only Linux can. The children watch their parent themselves where it matters.
func withDeathSignal(*syscall.SysProcAttr) {}
