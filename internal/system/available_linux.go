package system

import "os"

// AvailableMemory returns the memory that this process may still take, or nil if unknown.
func AvailableMemory() *FreeMemory { return linux(os.DirFS("/")) }
