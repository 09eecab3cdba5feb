package system

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const acceptPatience = time.Minute // what hangs is stopped; nothing waits for it to pass

// pipes is a listener of connections that need no descriptor.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return nil }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// full is a listener that has no descriptor for the first connections.
type full struct {
	pipes
	left int
}

func (f *full) Accept() (net.Conn, error) {
	if f.left > 0 {
		f.left--
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return f.pipes.Accept()
}

// If the system has no descriptor left, Accept retries less and less often, and
// returns the next connection when there is one again.
func TestAccept_WithoutDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &full{pipes: pipes{conns: make(chan net.Conn), closed: make(chan struct{})}, left: 10}
		began := time.Now()
		go Accept(t.Context(), f, func(_ context.Context, c net.Conn) { c.Write([]byte("x")) }, func(net.Conn) {})
		n, err := f.dial().Read(make([]byte, 1))
		if took := time.Since(began); n != 1 || took != 3275*time.Millisecond { // 5, 10, … 640 ms, and a second twice
			t.Errorf("%d bytes, %v, after %v", n, err, took)
		}
	})
}

// ends waits until the other end has closed a connection.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(acceptPatience))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection has not ended: %v", err)
	}
}

// At most as many connections as the bound are served at once, and others are
// refused until one ends.
func TestAccept_Bound(t *testing.T) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	served, refused := make(chan net.Conn), make(chan net.Conn, 1)
	over := make(chan error, 1)
	go func() {
		over <- Accept(ctx, p, func(_ context.Context, c net.Conn) {
			served <- c
			c.Read(make([]byte, 1))
		}, func(c net.Conn) { refused <- c })
	}()
	var open []net.Conn
	for range MostConnections {
		open = append(open, p.dial())
		<-served
	}
	more := p.dial()
	<-refused
	ends(t, more)
	// One goes, another takes its place. The place is free a moment after.
	open[0].Close()
	for end := time.Now().Add(acceptPatience); ; {
		next := p.dial()
		select {
		case <-served:
		case <-refused:
			ends(t, next)
			if time.Now().After(end) {
				t.Fatal("no place becomes free")
			}
			continue
		}
		open[0] = next
		break
	}
	cancel()
	for _, c := range open {
		ends(t, c)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// If somebody else closes the listener, the connections end, too.
func TestAccept_ClosedListener(t *testing.T) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	over := make(chan error, 1)
	go func() {
		over <- Accept(t.Context(), p, func(ctx context.Context, _ net.Conn) { <-ctx.Done() }, func(net.Conn) {})
	}()
	c := p.dial()
	p.Close()
	ends(t, c)
	if err := <-over; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// A socket isn't dead just because its process accepts no more connections.
func TestAccept_BusySocketStays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: only Linux tells a full queue of connections from a process that is gone")
	}
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	for {
		conn, err := net.Dial("unix", path)
		if err != nil {
			break
		}
		defer conn.Close()
	}
	err = RemoveDeadSocket(path)
	if _, statErr := os.Stat(path); err == nil || statErr != nil {
		t.Errorf("%v; the socket: %v", err, statErr)
	}
}
