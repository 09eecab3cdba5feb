package gonb

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

// readStdin hands questions to their cells.
func (c *Child) readStdin() {
	for {
		select {
		case m := <-c.client.Stdin():
			if p := c.find(m); p != nil && p.cell != nil && p.cell.Ask != nil {
				p.cell.Ask(m)
			}
		case <-c.Done():
			return
		}
	}
}
