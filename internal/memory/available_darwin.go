package memory

import "golang.org/x/sys/unix"

// Available is the memory of the machine, or nil where nobody says.
func Available() *Free {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return nil
	}
	return &Free{int64(bytes), "in this machine"}
}
