// Package memory says how much memory this process may still take, and gives back what it no longer needs.
//
// # Basics
//
// [Available] is what the system has left, or what the limits of the containers around this process leave, whichever is less;
// [GiveBack] returns to the system what the garbage collector would keep for later.
//
// # Caveats
//
// What is available changes with what else runs; it is looked at, not reserved. On macOS it is all of the machine's memory.
package memory

import (
	"fmt"
	"io/fs"
	"runtime/debug"
)

// Free is memory that may still be taken.
type Free struct {
	Bytes  int64
	Source string // who says so, for people
}

// large is from where on it is worth to stop and collect: a collection costs some milliseconds.
const large = 64 << 20

// GiveBack returns garbage to the system where the caller has just dropped that many bytes or more. Go lets garbage grow to the size of
// what is in use before it collects, and keeps it for later: with data of gigabytes that doubles what a training takes.
func GiveBack(dropped int64) {
	if dropped >= large {
		debug.FreeOSMemory()
	}
}

// least is the smaller of two, of which one may be unknown.
func least(a, b *Free) *Free {
	if a == nil || b != nil && b.Bytes < a.Bytes {
		return b
	}
	return a
}

// linux reads /proc and /sys below a root.
func linux(root fs.FS) *Free {
	return least(fromMeminfo(root), fromGroups(root))
}

// Text is a number of bytes for people: "12 MB", "3.4 GB".
func Text(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}
