package process

import (
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"fsnetlab/internal/alive"
)

// The environment tells which programs a kernel's cells have started, wherever they have gone since: one that has left its group, and whose
// parents have ended, still has the environment that it was started with.
const (
	// Mark is the variable that all of them have; its value names the kernel.
	Mark = "FSNET_STARTED_BY"
	// Cell is set beside it, by the kernel's GoNB: the number of the cell.
	Cell = "FSNET_CELL"
	// Keep is set by whoever starts a program that is to outlive its cell and the kernel. It must be in a session of its own (setsid): what
	// is in the cells' session ends with it.
	Keep = "FSNET_KEEP"
)

// Origin is where a program comes from.
type Origin struct {
	Mark string // the kernel whose cell has started it, or ""
	Cell string // the number of that cell, or ""
	Keep bool   // it is to outlive that
}

// Origin is that of a process, as its environment tells. It takes a system call or three.
func (p Info) Origin() (o Origin) {
	for _, variable := range p.environment() {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case Mark:
			o.Mark = value
		case Cell:
			o.Cell = value
		case Keep:
			o.Keep = value != "" && value != "0"
		}
	}
	return o
}

const (
	endPause = 20 * time.Millisecond
	endLimit = 3 * time.Second // a process that the system cannot end is left
)

// EndMarked ends every process that has a mark, but for those that are to be kept: it is told so (SIGTERM), and killed after grace. It
// returns when none is left.
func EndMarked(mark string, grace time.Duration) {
	endMarked(func(_ Info, m string) bool { return m == mark }, grace)
}

// EndOrphans is EndMarked for all whose mark is the name of a [Directory] with that prefix, the process of which is gone. A process in a
// container of its own, where numbers are others', is left alone.
func EndOrphans(prefix string, grace time.Duration) {
	endMarked(func(p Info, mark string) bool {
		pid, ok := owner(mark, prefix)
		return ok && !alive.Process(pid) && p.near()
	}, grace)
}

func endMarked(fits func(p Info, mark string) bool, grace time.Duration) {
	began := time.Now()
	others, told := map[Key]bool{}, map[Key]time.Time{}
	for time.Since(began) < grace+endLimit {
		list, err := List()
		if err != nil {
			return
		}
		left := 0
		for _, p := range list {
			if others[p.Key()] || p.ID == os.Getpid() {
				continue
			}
			since, known := told[p.Key()]
			if !known {
				if o := p.Origin(); o.Mark == "" || o.Keep || !fits(p, o.Mark) {
					others[p.Key()] = true
					continue
				}
				told[p.Key()], since = time.Now(), time.Now()
				syscall.Kill(p.ID, syscall.SIGTERM) //nolint:errcheck // it has ended already
			}
			if time.Since(since) >= grace {
				syscall.Kill(p.ID, syscall.SIGKILL) //nolint:errcheck // it has ended already
			}
			left++
		}
		if left == 0 {
			return
		}
		time.Sleep(endPause)
	}
}

// Peer is where the program at the other end of a Unix socket comes from; known is false where the system does not tell which program that
// is, or what its environment was.
func Peer(conn net.Conn) (o Origin, known bool) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return o, false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return o, false
	}
	pid := 0
	if err := raw.Control(func(fd uintptr) { pid = peer(int(fd)) }); err != nil || pid <= 0 {
		return o, false
	}
	p := Info{ID: pid}
	return p.Origin(), len(p.environment()) > 0
}
