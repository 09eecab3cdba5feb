package fsnet

import (
	"slices"
	"sync"

	"fsnetlab/fsnet/fault"
)

// idlePrograms is how many architectures' programs are kept when no training has them any more: those of the next one may be the same.
const idlePrograms = 4

// programCache holds a device's programs by their shape, for its trainings to share.
type programCache struct {
	mu      sync.Mutex
	byShape map[string]*programs
	idle    []*programs // nobody has them; the one given back last is at the end
	closed  bool
}

// take is the programs of an architecture, which are compiled as they are called. They are the caller's until it gives them back.
func (c *programCache) take(d *Device, a Architecture) (*programs, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || d.backend == nil {
		return nil, fault.New(fault.Unavailable, "open it again", "the device %s is closed", d.Name)
	}
	shape := a.shape()
	p := c.byShape[shape.String()]
	if p == nil {
		var err error
		if p, err = newPrograms(d.backend, shape, d.holdsSteps(shape)); err != nil {
			return nil, err
		}
		if c.byShape == nil {
			c.byShape = map[string]*programs{}
		}
		c.byShape[shape.String()] = p
	}
	p.users++
	c.idle = slices.DeleteFunc(c.idle, func(other *programs) bool { return other == p })
	return p, nil
}

// giveBack lets programs go that were taken. When nobody has them, and others came after them, they leave the device's memory.
func (c *programCache) giveBack(p *programs) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.users--; p.users > 0 || c.closed {
		return
	}
	c.idle = append(c.idle, p)
	for len(c.idle) > idlePrograms {
		delete(c.byShape, c.idle[0].arch.String())
		c.idle[0].finalize()
		c.idle = slices.Delete(c.idle, 0, 1)
	}
}

// close lets all programs go.
func (c *programCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.byShape {
		p.finalize()
	}
	c.byShape, c.idle, c.closed = nil, nil, true
}
