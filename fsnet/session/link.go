package session

import (
	"context"
	"os"
	"sync"

	"fsnetlab/fsnet/fault"
)

// SocketVariable is the environment variable in which a notebook's cells find the kernel's socket.
const SocketVariable = "FSNET_SOCKET"

// link is one connection, made when it is first needed.
type link struct {
	mu   sync.Mutex
	open *Client
}

// process is the connection that all handles of this process share. It is the one variable of this package: a handle is a value made
// without I/O, often several times in one cell, so there is nobody who could open a connection before and pass it in; and one for each
// handle would make the kernel believe that several programs are asking. It holds nothing but a connection that can be made anew.
//
//nolint:gochecknoglobals // see above
var process = new(link)

// client connects, or returns the connection there is. A lost one is replaced: in a long-running program the kernel may have restarted.
func (l *link) client(ctx context.Context) (*Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		select {
		case <-l.open.Ended():
		default:
			return l.open, nil
		}
	}
	path := os.Getenv(SocketVariable)
	if path == "" {
		return nil, fault.New(fault.Unavailable,
			"run this in a notebook with the FsNet kernel; elsewhere start fsnet host --socket PATH --parent PID and set "+SocketVariable+"=PATH",
			"$%s is not set: no FsNet kernel is known here", SocketVariable)
	}
	client, err := Dial(ctx, path)
	if err != nil {
		return nil, err
	}
	l.open = client
	return client, nil
}

// Ask asks the kernel that a cell belongs to for something that is no verb of a session, over the connection that all handles share, and
// decodes the answer into result unless that is nil. Kind Unavailable: there is no kernel.
func Ask(ctx context.Context, method string, params, result any) error {
	client, err := process.client(ctx)
	if err != nil {
		return err
	}
	return client.Call(ctx, method, params, result)
}
