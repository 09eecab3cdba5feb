//go:build !linux && !darwin

package system

// AvailableMemory returns nil, because the memory is unknown on this system.
func AvailableMemory() *FreeMemory { return nil }
