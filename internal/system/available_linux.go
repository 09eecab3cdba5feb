package system

import "os"

// AvailableMemory is the memory that this process may still take, or nil where nobody says.
func AvailableMemory() *FreeMemory { return linux(os.DirFS("/")) }
