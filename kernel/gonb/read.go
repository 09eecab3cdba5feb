package gonb

import (
	"time"

	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/wire"
)

// read hands messages to the requests that they answer, in order, to the last that GoNB sends, or until it was given up. Others are of a
// cell of long ago, or answer what nobody waits for.
func (c *Child) read(from <-chan wire.Message, hand func(p *pending, m wire.Message)) {
	take := func(m wire.Message) {
		c.mu.Lock()
		p := c.pending[m.ParentID()]
		c.mu.Unlock()
		if p != nil {
			hand(p, m)
		}
	}
	for {
		select {
		case m := <-from:
			take(m)
		case <-c.Done():
			return
		case <-c.client.AllEnded():
			for len(from) > 0 && !done(c.over) {
				take(<-from)
			}
			return
		}
	}
}

func done(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (c *Child) readAll() {
	c.readers.Go(func() {
		c.read(c.client.Shell(), func(p *pending, m wire.Message) {
			select {
			case p.reply <- m:
			default:
			}
			if p.cell == nil {
				c.forget(m.ParentID())
			}
		})
	})
	c.readers.Go(func() {
		c.read(c.client.IOPub(), func(p *pending, m wire.Message) {
			if p.cell != nil {
				c.publish(p, m)
			}
		})
	})
	c.readers.Go(func() {
		c.read(c.client.Stdin(), func(p *pending, m wire.Message) {
			if p.cell != nil && p.cell.Ask != nil {
				c.settle() // it is asked once it can be answered
				p.cell.Ask(m)
			}
		})
	})
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
