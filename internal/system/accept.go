package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// MostConnections limits the open connections of one listener. The six listeners of a kernel
// together then stay below 4,096 descriptors, the lowest limit that systems set for a process.
const MostConnections = 512

const (
	shortest = 5 * time.Millisecond // pause after a failed accept; each further failure doubles it
	longest  = time.Second
)

// Accept accepts connections until ctx ends or the listener is closed, and runs serve for each in a
// goroutine of its own. It closes the connection when serve returns or ctx ends; the ctx passed to
// serve also ends once the listener is closed. A connection beyond [MostConnections] goes to
// refuse, which must not wait, and is closed. If the system fails to accept one, for instance for
// want of a descriptor, Accept tries again after a pause and serves the others meanwhile.
//
// Accept closes the listener and waits for what it runs. It returns nil if ctx has ended, and
// otherwise the reason why no more connections are possible.
func Accept(ctx context.Context, listener net.Listener, serve func(context.Context, net.Conn), refuse func(net.Conn)) error {
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	defer serving.Wait()
	defer cancel()
	defer listener.Close()
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	places := make(chan struct{}, MostConnections)
	pause := shortest
	for {
		conn, err := listener.Accept()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default:
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			pause = min(2*pause, longest)
			continue
		}
		pause = shortest
		select {
		case places <- struct{}{}:
		default:
			refuse(conn)
			conn.Close()
			continue
		}
		serving.Go(func() {
			defer func() { <-places }()
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			serve(ctx, conn)
		})
	}
}

// ErrListens is returned if a process listens at the path.
var ErrListens = errors.New("another process already listens there")

// RemoveDeadSocket removes a Unix socket that a killed process left behind, and nothing else;
// without a file it does nothing. The error is ErrListens if a process takes the connection, and
// another one if the path is no socket, or if it is unknown whether a process listens, as when its
// queue of connections is full.
func RemoveDeadSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "unix", path)
	switch {
	case err == nil:
		conn.Close()
		return fmt.Errorf("%s: %w", path, ErrListens)
	case !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: whether another process listens there is unknown: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the dead socket %s cannot be removed: %w", path, err)
	}
	return nil
}
