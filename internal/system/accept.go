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

// MostConnections limits the open connections of one listener. The six
// listeners of a kernel together then stay below 4,096 descriptors, the lowest
// limit that systems set for a process.
const MostConnections = 512

const (
	shortest = 5 * time.Millisecond // pause after a failed accept, doubled by each further failure
	longest  = time.Second
)

// Accept accepts connections until ctx ends or the listener is closed, and runs
// serve for each in its own goroutine. It closes the connection when serve
// returns or ctx ends. The ctx passed to serve also ends when the listener is
// closed.
//
// If there are more than [MostConnections], Accept passes the connection to
// refuse, which must not wait, and closes it. If the system fails to accept a
// connection, for example because there are no descriptors left, Accept tries
// again after a pause.
//
// Accept closes the listener and waits for the goroutines that it started. It
// returns nil if ctx has ended, and otherwise the reason why no more
// connections are possible.
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

// RemoveDeadSocket removes the Unix socket at path if the process that listened
// there was killed. If there is no file, it does nothing. If a process accepts
// a connection, the error is ErrListens. It returns another error if path is
// not a socket, or if it cannot tell whether a process listens, for example
// because the queue of connections is full.
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
