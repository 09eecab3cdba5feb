package session

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// connect opens a connection to a Unix socket without package net, which would make the linking of every notebook cell, and with it the
// cell, a quarter slower. The file is in non-blocking mode: deadlines work on it, and closing it ends a read.
func connect(ctx context.Context, path string) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	syscall.ForkLock.RLock() // no child may inherit it
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	if err := connectTo(ctx, fd, path); err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	return os.NewFile(uintptr(fd), path), nil
}

func connectTo(ctx context.Context, fd int, path string) error {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	for {
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		switch {
		case err == nil, errors.Is(err, syscall.EISCONN):
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINPROGRESS), errors.Is(err, syscall.EALREADY):
			// The other end has not accepted the clients before this one.
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		default:
			return os.NewSyscallError("connect", err)
		}
	}
}
