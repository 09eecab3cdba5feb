//go:build !linux && !darwin

package system

// AvailableMemory returns nil: unknown on this system.
func AvailableMemory() *FreeMemory { return nil }
