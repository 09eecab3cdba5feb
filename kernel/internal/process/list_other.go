//go:build !linux

package process

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// List fails: nothing here tells about processes.
func List() ([]Info, error) { return nil, errors.ErrUnsupported }

// Stopped is not known.
func Stopped(int) bool { return false }

// Visible reports that processes cannot be seen.
func Visible() bool { return false }

// Ancestry is not known.
func Ancestry(int) []Key { return nil }

// AdoptOrphans does nothing.
func AdoptOrphans() {}

// EndOrphans does nothing.
func EndOrphans(time.Duration) {}

// Peer is not known.
func Peer(net.Conn) int { return 0 }

// Detail does nothing.
func (p *Info) Detail() {}

func (p Info) kept() bool { return false }

// withDeathSignal does nothing: only Linux can. The children watch their parent themselves where it matters.
func withDeathSignal(*syscall.SysProcAttr) {}
