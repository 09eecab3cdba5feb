package system

import "os"

// AvailableMemory returns how much memory this process can still allocate, or
// nil if that is unknown.
func AvailableMemory() *FreeMemory { return linux(os.DirFS("/")) }
