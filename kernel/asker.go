package kernel

import (
	"context"
	"net"
	"strconv"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/internal/process"
)

// asker is a program at the socket for cells.
type asker struct {
	process.Origin
	known bool // the system tells where it comes from
}

type askerKey struct{}

// connected notes whose requests those of a connection are.
func (k *Kernel) connected(ctx context.Context, conn net.Conn) context.Context {
	origin, known := process.Peer(conn)
	return context.WithValue(ctx, askerKey{}, asker{origin, known})
}

// asking is the cell that a request belongs to: the one that has started the program that asks and still runs, or nil. What an earlier
// cell has left running is nobody's. Where the system does not tell, it is the one whose Go code runs.
func (k *Kernel) asking(ctx context.Context) *execution {
	who, asked := ctx.Value(askerKey{}).(asker)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.running {
		if !asked || !who.known {
			if e.hasTurn {
				return e
			}
		} else if who.Mark == k.gonb.options.Mark && who.Cell == strconv.Itoa(e.number) {
			return e
		}
	}
	return nil
}

// nobody refuses what only a cell's program can have.
func (k *Kernel) nobody(ctx context.Context, what string) error {
	why := "this program was not started by a cell"
	if who, asked := ctx.Value(askerKey{}).(asker); !k.busy() {
		why = "no cell is running"
	} else if asked && who.Mark != "" {
		why = "the cell that started this program has ended"
	}
	return fault.New(fault.Request, "ask in a cell, while it runs", "%s, so there is nowhere %s", why, what)
}
