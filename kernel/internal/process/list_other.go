//go:build !linux && !darwin

package process

import (
	"errors"
	"syscall"
)

// List fails: this system tells about processes in another way.
func List() ([]Info, error) { return nil, errors.ErrUnsupported }

// Stopped is not known.
func Stopped(int) bool { return false }

// Visible reports that processes cannot be seen.
func Visible() bool { return false }

func (p Info) environment() []string { return nil }

func (p Info) near() bool { return true }

// Detail does nothing.
func (p *Info) Detail() {}

// Now is the zero moment.
func Now() Moment { return Moment{} }

func peer(int) int { return 0 }

func withDeathSignal(*syscall.SysProcAttr) {}
