package process

import (
	"net"
	"syscall"
)

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
