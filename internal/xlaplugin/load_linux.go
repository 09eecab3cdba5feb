//go:build linux && cgo

package xlaplugin

import "github.com/ebitengine/purego"

// load loads a shared library into this process, by path or by the name under which the system
// knows it, without exporting its symbols. This module avoids cgo: cgo's output names the folder it
// was built in, and Go's cache would hand it to other clones.
func load(name string) error {
	_, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	return err
}
