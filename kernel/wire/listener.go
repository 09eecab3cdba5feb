package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"fsnetlab/fsnet/fault"
)

// listener accepts connections of one kind of socket. Each handshake has a goroutine of its own: a peer that says nothing keeps nobody
// else waiting.
type listener struct {
	kind   zmq4.SocketType
	listen net.Listener
	serve  func(*link) // until the link ends

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
	group  sync.WaitGroup
}

func listen(c Connection, port int, kind zmq4.SocketType, serve func(*link)) (*listener, error) {
	network, address := c.endpoint(port)
	if network == "unix" {
		if err := removeDead(address); err != nil {
			return nil, err
		}
	}
	nl, err := new(net.ListenConfig).Listen(context.Background(), network, address)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "another process has taken the port: start the kernel again", "cannot listen")
	}
	if network == "unix" {
		if err := os.Chmod(address, 0o600); err != nil {
			nl.Close()
			return nil, fault.Wrap(err, fault.Failed, "take another directory", "the socket %s cannot be closed to others", address)
		}
	}
	l := &listener{kind: kind, listen: nl, serve: serve, conns: map[net.Conn]bool{}}
	l.group.Add(1)
	go l.accept()
	return l, nil
}

// removeDead removes a socket that an earlier process left behind, and nothing else.
func removeDead(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&os.ModeSocket == 0 {
		return fault.New(fault.Request, "take another path", "%s exists and is not a socket", path)
	}
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
		conn.Close()
		return fault.New(fault.Busy, "end that kernel, or start this one with another connection file", "somebody listens at %s already", path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Wrap(err, fault.Failed, "remove it", "the dead socket %s", path)
	}
	return nil
}

func (l *listener) accept() {
	defer l.group.Done()
	for {
		conn, err := l.listen.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		if !l.remember(conn) {
			return
		}
		go func() {
			defer l.forget(conn)
			link, err := openLink(conn, l.kind, "", true)
			if err != nil {
				return // not a ZeroMQ peer, or of the wrong kind
			}
			defer link.close()
			l.serve(link)
		}()
	}
}

func (l *listener) remember(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		conn.Close()
		return false
	}
	l.conns[conn] = true
	l.group.Add(1)
	return true
}

func (l *listener) forget(conn net.Conn) {
	conn.Close()
	l.mu.Lock()
	delete(l.conns, conn)
	l.mu.Unlock()
	l.group.Done()
}

// close ends every connection and waits for their goroutines.
func (l *listener) close() {
	l.listen.Close()
	l.mu.Lock()
	l.closed = true
	for conn := range l.conns {
		conn.Close()
	}
	l.mu.Unlock()
	l.group.Wait()
}
