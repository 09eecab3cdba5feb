//go:build linux && cgo

package xlaplugin

import "github.com/ebitengine/purego"

// load loads a shared library into this process, by its path or by the name
// that the system knows. It does not export the symbols. We avoid cgo because
// cgo's output contains the folder it was built in, and Go's cache would pass
// it on to other clones.
func load(name string) error {
	_, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	return err
}
