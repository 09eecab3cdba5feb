package host

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/system"
)

// Serve answers the requests of every connection until ctx ends. Then it closes
// the listener and the connections and returns nil. It accepts at most
// [system.MostConnections] connections at a time, and rejects further ones with
// a message. connected returns the context for all requests of a connection. It
// must derive it from its argument, because that lives as long as the service,
// and may store the client in it. connected may be nil.
func Serve(ctx context.Context, listener net.Listener, server session.Server,
	connected func(context.Context, net.Conn) context.Context) error {
	server.Guard = func(doing string, work func() error) error { return errs.Guard(slog.Error, doing, work) }
	err := system.Accept(ctx, listener, func(ctx context.Context, conn net.Conn) {
		if connected != nil {
			ctx = connected(ctx, conn)
		}
		server.Serve(ctx, conn)
	}, func(conn net.Conn) {
		session.Refuse(conn, errs.New(errs.Unavailable, "end programs that are connected, or share one connection among several sessions",
			"the socket %s has %d connections, the most it can have", conn.LocalAddr(), system.MostConnections))
	})
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "start it again", "no program can connect any more")
	}
	return nil
}

// Server returns a server that answers with the verbs of the host.
func (h *Host) Server() session.Server { return session.Server{Verbs: h.Handlers, Watch: h.Watch} }

// RunOptions configure the host process.
type RunOptions struct {
	Options
	Socket string    // path of the socket, in a private directory
	Parent int       // the process to end with, 0 for none
	Ready  io.Writer // Receives one line, "ready SOCKET", once clients can connect. It may be nil.
}

// endLimit bounds how long sessions may take to end. Together with the check
// of the parent it makes a host end within 2 s of its parent, even if the
// device is in a long call.
const endLimit = 1500 * time.Millisecond

// drainLimit bounds how long requests in progress may take to end. If one of
// them is in a long call of its device, the other sessions are paused and saved
// after this time.
const drainLimit = 100 * time.Millisecond

// Run serves a new host until ctx or the parent ends. Then it ends all sessions
// and removes the socket. If a device does not end in time, it returns an error
// of kind Failed. The process should then exit.
func Run(ctx context.Context, options RunOptions) error {
	if options.Parent < 0 || options.Parent == 1 {
		return errs.New(errs.Request, "give the process that the host belongs to", "parent %d", options.Parent)
	}
	listener, err := Listen(options.Socket)
	if err != nil {
		return err
	}
	defer os.Remove(options.Socket) //nolint:errcheck // closing the listener removed it, except after a failure
	cancel := context.CancelFunc(func() {})
	if options.Parent > 0 {
		ctx, cancel = system.WithProcess(ctx, options.Parent)
	}
	defer cancel()

	h := New(options.Options)
	served := make(chan error, 1)
	go func() {
		err := Serve(ctx, listener, h.Server(), nil)
		h.Shutdown()
		served <- err
	}()

	if options.Ready != nil {
		fmt.Fprintf(options.Ready, "ready %s\n", options.Socket) //nolint:errcheck // its reader may have gone
	}

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}

	defer time.AfterFunc(drainLimit, h.Shutdown).Stop()
	select {
	case err := <-served:
		return err
	case <-time.After(endLimit):
		return errs.New(errs.Failed, "it ends with the process",
			"a session is in a long call of its device and did not end within %s", endLimit)
	}
}
