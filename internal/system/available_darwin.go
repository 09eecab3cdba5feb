package system

import "golang.org/x/sys/unix"

// AvailableMemory returns the memory of the machine, or nil if it is unknown.
func AvailableMemory() *FreeMemory {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return nil
	}
	return &FreeMemory{int64(bytes), "in this machine"}
}
