//go:build !linux

package study

import "syscall"

// cores: other systems cannot be told.
func cores() []int { return coresOf(0) }

func coresOf(int) []int { return nil }

func onCore(_ int, start func() error) error { return start() }

// endWithThread: the end of its input ends a worker.
func endWithThread() *syscall.SysProcAttr { return nil }
