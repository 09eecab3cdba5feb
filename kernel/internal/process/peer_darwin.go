package process

import "golang.org/x/sys/unix"

// peer is the process that has connected to a socket; 0 is not known.
func peer(fd int) int {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return 0
	}
	return pid
}
