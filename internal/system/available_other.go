//go:build !linux && !darwin

package system

// AvailableMemory is not known here.
func AvailableMemory() *FreeMemory { return nil }
