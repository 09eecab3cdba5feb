package kernel

import (
	"context"
	"net"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
)

type callerKey struct{}

// connected notes which program the requests of a connection come from: it and its parents, or none where the system does not tell.
func (k *Kernel) connected(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, callerKey{}, process.Ancestry(process.Peer(conn)))
}

// cellOf is the cell that a request belongs to: the one that has started the program that calls and still runs, or nil. What an earlier cell
// has left running is nobody's. Where the system does not tell, it is the one whose Go code runs.
func (k *Kernel) cellOf(ctx context.Context) *execution {
	caller, _ := ctx.Value(callerKey{}).([]process.Key)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.running {
		if len(caller) == 0 && e.hasLock || len(caller) > 0 && e.ending != nil && e.ending.Started(caller) {
			return e
		}
	}
	return nil
}

// nobody refuses what only a cell's program can have.
func (k *Kernel) nobody(ctx context.Context, what string) error {
	why := "this program was not started by a cell, or its cell has ended"
	if !k.busy() {
		why = "no cell is running"
	}
	return fault.New(fault.Request, "ask in a cell, while it runs", "%s, so there is nowhere %s", why, what)
}
