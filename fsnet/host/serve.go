package host

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// A Handler answers a method that is not a verb of session.Service.
type Handler func(ctx context.Context, params json.RawMessage) (result any, err error)

// ServeOptions configure Serve. The zero value serves the verbs alone.
type ServeOptions struct {
	// Extra methods by name, for a kernel's own. A verb's name takes the verb's place.
	Extra map[string]Handler
}

// concurrency is how many requests of one connection are worked on at once. Runs block, and a pause must get past any number of them.
const concurrency = 1024

// acceptPause is how long Serve waits before it accepts again after it could not.
const acceptPause = 50 * time.Millisecond

// Serve answers the requests of every connection until the context ends; then it closes the listener and the connections and returns
// nil. Verbs that advance outlive their connection: a cell that was killed does not stop its run. They end with the context.
func Serve(ctx context.Context, listener net.Listener, service session.Service, options ServeOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { listener.Close() })() //nolint:errcheck // it is ending

	methods := methods(ctx, service, options.Extra)
	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel() // before waiting
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			if errors.Is(err, net.ErrClosed) {
				return fault.Wrap(err, fault.Unavailable, "start it again", "nobody can connect any more")
			}
			// Such as too many open files. Those who are connected are served meanwhile.
			select {
			case <-time.After(acceptPause):
			case <-ctx.Done():
			}
			continue
		}
		connections.Go(func() { serveOne(ctx, conn, service, methods) })
	}
}

func serveOne(ctx context.Context, conn net.Conn, service session.Service, methods methodTable) {
	defer context.AfterFunc(ctx, func() { conn.Close() })() //nolint:errcheck // it is ending
	watching := newWatching(ctx, service)
	server := jrpc2.NewServer(methods.with(watching), &jrpc2.ServerOptions{
		AllowPush:      true,
		DisableBuiltin: true, // rpc.cancel would end a run without pausing it
		Concurrency:    concurrency,
	})
	watching.notify = func(p session.UpdateParams) {
		if server.Notify(ctx, "update", p) != nil {
			watching.hangUp() // a verb that is still worked on keeps the server from ending
			conn.Close()      //nolint:errcheck // the connection is unusable: the server notices by its own read
		}
	}
	server.Start(newLines(conn))
	server.Wait() //nolint:errcheck // how a client went away is of no interest
	watching.hangUp()
	watching.ended.Wait()
}
