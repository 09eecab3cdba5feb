//go:build !cgo

package device

// hasXLA is whether this program can load a PJRT plugin, which takes C.
const hasXLA = false

func (d *Device) openXLA(string, string) error { return d.withoutXLA() }
