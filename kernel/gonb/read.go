package gonb

import "fsnetlab/kernel/jupyter"

// read hands messages to the requests that they answer, in order, to the last that GoNB sends, or until it was given up. Others are of a
// cell of long ago, or answer what nobody waits for.
func (c *Child) read(from <-chan jupyter.Message, hand func(p *pending, m jupyter.Message)) {
	take := func(m jupyter.Message) {
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
			for len(from) > 0 {
				take(<-from)
			}
			return
		}
	}
}

func (c *Child) readAll() {
	c.readers.Go(func() {
		c.read(c.client.Shell(), func(p *pending, m jupyter.Message) {
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
		c.read(c.client.IOPub(), func(p *pending, m jupyter.Message) {
			if p.cell != nil {
				c.publish(p, m)
			}
		})
	})
	c.readers.Go(func() {
		c.read(c.client.Stdin(), func(p *pending, m jupyter.Message) {
			if p.cell != nil && p.cell.Ask != nil {
				p.cell.Ask(m)
			}
		})
	})
}
