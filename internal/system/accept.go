package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"
)

// MostConnections is how many connections one listener has open at a time. The six of a kernel together stay below 4,096 descriptors, which
// is the least that systems let a process have.
const MostConnections = 512

const (
	shortest = 5 * time.Millisecond // pause after a connection could not be taken; each further one doubles it
	longest  = time.Second
)

// Accept accepts until the context ends or the listener is closed, and runs serve for each connection in a goroutine of its own. The
// connection is closed when serve returns, and when the context ends, which for serve it also does once the listener is closed. One beyond
// [MostConnections] is given to refuse, which must not wait, and closed. Where the system refuses one, such as for want of a descriptor,
// the others are served meanwhile, and it is asked again after a pause.
//
// Accept closes the listener and waits for what it runs. It returns nil where the context has ended, and else why nobody can connect any
// more.
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

// ErrListens is the error of a path on which a process listens.
var ErrListens = errors.New("another process already listens there")

// RemoveDeadSocket clears a path of a Unix socket that a killed process left behind, and of nothing else.
func RemoveDeadSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "unix", path)
	if err == nil {
		conn.Close()
		return fmt.Errorf("%s: %w", path, ErrListens)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the dead socket %s cannot be removed: %w", path, err)
	}
	return nil
}
