package device

import (
	"slices"
	"sync"

	"fsnetlab/fsnet/fault"
)

// Programs are compiled for a device, which keeps them by key and shape without knowing what they compute.
type Programs interface {
	Finalize() // lets them leave the device's memory; nobody calls them any more
}

// IdlePrograms is how many keys' programs are kept when nobody has them any more: those of the next training may be the same.
const IdlePrograms = 4

// programCache holds a device's programs by key, for all who work on it to share.
type programCache struct {
	mu     sync.Mutex
	byKey  map[string]*kept
	idle   []*kept // nobody has them; the one given back last is at the end
	closed bool

	leaving sync.WaitGroup // those that are being let go; nobody else waits for that, as one of them may still be compiled
}

// kept are the programs of a key, and how many have them.
type kept struct {
	key      string
	programs Programs
	users    int
}

// Take is the programs of a key, which compile makes where the device has none. They are shared, and the caller's until it calls giveBack,
// once; when nobody has them, and others came after them, they leave the device's memory.
func (d *Device) Take(key string, compile func() (Programs, error)) (p Programs, giveBack func(), err error) {
	c := &d.programs
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || d.backend == nil {
		return nil, nil, fault.New(fault.Unavailable, "open it again", "the device %s is closed", d.Name)
	}
	k := c.byKey[key]
	if k == nil {
		programs, err := compile()
		if err != nil {
			return nil, nil, err
		}
		k = &kept{key: key, programs: programs}
		if c.byKey == nil {
			c.byKey = map[string]*kept{}
		}
		c.byKey[key] = k
	}
	k.users++
	c.idle = slices.DeleteFunc(c.idle, func(other *kept) bool { return other == k })
	return k.programs, func() { c.giveBack(k) }, nil
}

// Programs is how many keys have programs on the device now.
func (d *Device) Programs() int {
	d.programs.mu.Lock()
	defer d.programs.mu.Unlock()
	return len(d.programs.byKey)
}

func (c *programCache) giveBack(k *kept) {
	for _, old := range c.putBack(k) {
		old.programs.Finalize()
		c.leaving.Done()
	}
}

// putBack gives those that have no place any more: they are leaving.
func (c *programCache) putBack(k *kept) (old []*kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.users--; k.users > 0 || c.closed {
		return nil
	}
	c.idle = append(c.idle, k)
	old = slices.Clone(c.idle[:max(0, len(c.idle)-IdlePrograms)])
	for _, k := range old {
		delete(c.byKey, k.key)
	}
	c.idle = slices.Delete(c.idle, 0, len(old))
	c.leaving.Add(len(old))
	return old
}

// close lets all programs go.
func (c *programCache) close() {
	c.mu.Lock()
	all := c.byKey
	c.byKey, c.idle, c.closed = nil, nil, true
	c.mu.Unlock()
	for _, k := range all {
		k.programs.Finalize()
	}
	c.leaving.Wait()
}
