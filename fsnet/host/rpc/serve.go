// Package rpc serves any session.Service over JSON-RPC 2.0 on a socket: one connection a client, its verbs, and what it watches.
//
// # Basics
//
//	listener, err := socket.Listen(path)
//	err = rpc.Serve(ctx, listener, service, rpc.ServeOptions{}) // until ctx ends
//
// [ServeOptions] add methods of one's own ([Handler]), as the kernel does for pictures. The methods and their parameters are those of
// fsnet/session.
//
// # Caveats
//
// A verb that advances a session outlives its connection: a cell that was killed does not stop its run. What the connection watched ends
// with it. A client that leaves its answers unread is disconnected.
package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"net"

	"github.com/creachadair/jrpc2"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/host/socket"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/accept"
)

// A Handler answers a method that is not a verb of session.Service.
type Handler func(ctx context.Context, params json.RawMessage) (result any, err error)

// ServeOptions configure Serve. The zero value serves the verbs alone.
type ServeOptions struct {
	// Extra methods by name, for a kernel's own. A verb's name takes the verb's place.
	Extra map[string]Handler
	// Connected, which may be nil, gives the context of all that a connection asks for, from one that lives as long as the service: what
	// its verbs are to know of who asks.
	Connected func(ctx context.Context, conn net.Conn) context.Context
	// MaxLine bounds a request, in bytes; 0 is socket.MaxLine.
	MaxLine int
}

// concurrency is how many requests of one connection are worked on at once. Runs block, and a pause must get past any number of them.
const concurrency = 1024

// Serve answers the requests of every connection until the context ends; then it closes the listener and the connections and returns
// nil. There are at most [accept.Most] connections at a time: one more is told so and closed. Verbs that advance outlive their connection:
// a cell that was killed does not stop its run. They end with the context.
func Serve(ctx context.Context, listener net.Listener, service session.Service, options ServeOptions) error {
	err := accept.Serve(ctx, listener, func(ctx context.Context, conn net.Conn) { serveOne(ctx, conn, service, options) }, refuse)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "start it again", "no program can connect any more")
	}
	return nil
}

// refuse tells a client that there are too many.
func refuse(conn net.Conn) {
	err := fault.New(fault.Unavailable, "end programs that are connected, or share one connection among several sessions",
		"the socket %s has %d connections, the most it can have", conn.LocalAddr(), accept.Most)
	socket.NewChannel(conn, 0).Refuse(wireError(codeFault, err)) //nolint:errcheck // it has hung up
}

func serveOne(ctx context.Context, conn net.Conn, service session.Service, options ServeOptions) {
	if options.Connected != nil {
		ctx = options.Connected(ctx, conn)
	}
	watching := newWatching(ctx, service)
	server := jrpc2.NewServer(methods(ctx, service, options.Extra).with(watching), &jrpc2.ServerOptions{
		AllowPush:      true,
		DisableBuiltin: true, // rpc.cancel would end a run without pausing it
		Concurrency:    concurrency,
		NewContext:     func() context.Context { return context.WithoutCancel(ctx) }, // the server ends it itself
	})
	watching.notify = func(p session.UpdateParams) {
		if server.Notify(ctx, "update", p) != nil {
			watching.hangUp() // a verb that is still worked on keeps the server from ending
			conn.Close()      //nolint:errcheck // the connection is unusable: the server notices by its own read
		}
	}
	server.Start(socket.NewChannel(conn, cmp.Or(options.MaxLine, socket.MaxLine)))
	server.Wait() //nolint:errcheck // how a client went away is of no interest
	watching.hangUp()
	watching.ended.Wait()
}
