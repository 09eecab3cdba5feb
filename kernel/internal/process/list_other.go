//go:build !linux

package process

import (
	"errors"
	"net"
	"syscall"
)

// List fails, because it is implemented only for Linux.
func List() ([]Info, error) { return nil, errors.ErrUnsupported }

// Stopped reports false.
func Stopped(int) bool { return false }

// Visible reports false.
func Visible() bool { return false }

// Ancestry returns nil.
func Ancestry(int) []Key { return nil }

// AdoptOrphans does nothing.
func AdoptOrphans() {}

// EndOrphans does nothing.
func EndOrphans() {}

// Peer returns 0.
func Peer(net.Conn) int { return 0 }

// Detail does nothing.
func (p *Info) Detail() {}

func (p Info) isKept() bool { return false }

// withDeathSignal does nothing, because only Linux has the signal. Children
// that need it watch their parent.
func withDeathSignal(*syscall.SysProcAttr) {}
