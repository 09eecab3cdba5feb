//go:build linux && cgo

package xlaplugin

import "github.com/ebitengine/purego"

// load brings a shared library into this process, by path or by the name under which the system knows it. Its symbols stay its own.
// This module has no cgo of its own: what cgo writes names the folder it was made in, and Go's cache hands it to other clones.
func load(name string) error {
	_, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	return err
}
