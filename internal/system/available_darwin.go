package system

import "golang.org/x/sys/unix"

// AvailableMemory is the memory of the machine, or nil where nobody says.
func AvailableMemory() *FreeMemory {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return nil
	}
	return &FreeMemory{int64(bytes), "in this machine"}
}
