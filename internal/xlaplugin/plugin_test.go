//go:build cgo

package xlaplugin

import (
	"strings"
	"testing"
	"unsafe"
)

// Every part of what a plugin compiles is in the key, and so is where each part
// ends.
func TestKey_AnotherProgram(t *testing.T) {
	look := func(machine Key, parts ...string) Key {
		begin := func(i int) (*byte, uintptr) { return unsafe.StringData(parts[i]), uintptr(len(parts[i])) }
		var p program
		a := compileArgs{program: &p}
		p.format, p.formatSize = begin(0)
		p.code, p.codeSize = begin(1)
		a.options, a.optionsSize = begin(2)
		return (&compiler{machine: machine}).key(&a)
	}
	before := look(key(1), "mlir", "add", "two devices")
	if look(key(1), "mlir", strings.Clone("add"), "two devices") != before {
		t.Error("the same program has another key")
	}
	for name, other := range map[string]Key{
		"another machine":      look(key(2), "mlir", "add", "two devices"),
		"another format":       look(key(1), "mli", "add", "two devices"),
		"another code":         look(key(1), "mlir", "sub", "two devices"),
		"other options":        look(key(1), "mlir", "add", "one device"),
		"the code ends before": look(key(1), "mlir", "ad", "dtwo devices"),
	} {
		if other == before {
			t.Errorf("%s: the same key", name)
		}
	}
}
