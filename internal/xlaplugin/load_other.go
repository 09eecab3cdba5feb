//go:build !(linux && cgo)

package xlaplugin

import "errors"

// load returns an error, because there is no CUDA plugin for this platform.
func load(string) error { return errors.New("CUDA works on Linux only") }
