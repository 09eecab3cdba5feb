package gonb

import (
	"time"

	"fsnetlab/kernel/internal/process"
)

// readShell hands replies to who waits for them.
func (c *Child) readShell() {
	for {
		select {
		case m := <-c.client.Shell():
			p := c.find(m)
			if p == nil {
				continue // interrupt_reply, or a reply that nobody waits for any more
			}
			select {
			case p.reply <- m:
			default:
			}
			if p.cell == nil {
				c.forget(m.ParentID())
			}
		case <-c.Done():
			return
		}
	}
}

// readIOPub hands outputs to their cells, in order.
func (c *Child) readIOPub() {
	for {
		select {
		case m := <-c.client.IOPub():
			if p := c.find(m); p != nil && p.cell != nil {
				c.publish(p, m)
			}
		case <-c.Done():
			return
		}
	}
}

// readStdin hands questions to their cells, once they can be answered.
func (c *Child) readStdin() {
	for {
		select {
		case m := <-c.client.Stdin():
			if p := c.find(m); p != nil && p.cell != nil && p.cell.Ask != nil {
				c.settle()
				p.cell.Ask(m)
			}
		case <-c.Done():
			return
		}
	}
}

const (
	settlePause = time.Millisecond
	settleBlind = 100 * time.Millisecond // where the system does not tell who rests
	settleLimit = 2 * time.Second        // a cell that writes without pause leaves GoNB no rest
)

// settle waits until GoNB has done what it was about to do. It sends a question before it listens for the answer, and drops one that
// comes in between, so that its cell would never end; on a busy machine that may be long.
func (c *Child) settle() {
	for began := time.Now(); time.Since(began) < settleLimit; {
		switch rests, known := process.AtRest(c.ID()); {
		case rests:
			return
		case !known && time.Since(began) >= settleBlind:
			return
		}
		select {
		case <-time.After(settlePause):
		case <-c.Done():
			return
		}
	}
}
