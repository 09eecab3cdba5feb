package process

import "golang.org/x/sys/unix"

// peer is the process that has connected to a socket; 0 is not known, such as one in a container of its own.
func peer(fd int) int {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0
	}
	return int(who.Pid)
}
