package jupyter

import (
	"context"
	"net"
	"os"

	"github.com/go-zeromq/zmq4"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/accept"
)

// listener accepts connections of one kind of socket, [accept.Most] at a time. Each handshake has a goroutine of its own: a peer that says
// nothing keeps nobody else waiting.
type listener struct {
	end   context.CancelFunc
	ended chan struct{} // closed when all connections are
}

func listen(c Connection, port int, kind zmq4.SocketType, serve func(*link)) (*listener, error) {
	network, address := c.endpoint(port)
	if network == "unix" {
		if err := accept.RemoveDead(address); err != nil {
			return nil, fault.With(err, fault.Failed, "name another path in the connection file")
		}
	}
	nl, err := new(net.ListenConfig).Listen(context.Background(), network, address)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "another process has taken the port: start the kernel again", "cannot listen")
	}
	if network == "unix" {
		if err := os.Chmod(address, 0o600); err != nil {
			nl.Close()
			return nil, fault.Wrap(err, fault.Failed, "use another directory", "the socket %s cannot be made private", address)
		}
	}
	ctx, end := context.WithCancel(context.Background())
	l := &listener{end: end, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		accept.Serve(ctx, nl, func(_ context.Context, conn net.Conn) { //nolint:errcheck // it ends with its server
			link, err := openLink(conn, kind, "", true)
			if err != nil {
				return // not a ZeroMQ peer, or of the wrong kind
			}
			defer link.close()
			serve(link)
		}, func(net.Conn) {})
	}()
	return l, nil
}

// close ends every connection and waits for their goroutines.
func (l *listener) close() {
	l.end()
	<-l.ended
}
