//go:build !cgo

package device

// hasXLA reports whether this program can load a PJRT plugin. That takes
// cgo.
const hasXLA = false

func (d *Device) openXLA(_, _, _ string) error { return d.withoutXLA() }
