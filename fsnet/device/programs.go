package device

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/errs"
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
		return nil, nil, d.closed()
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

func (d *Device) closed() error {
	return errs.New(errs.Unavailable, "open it again", "the device %s is closed", d.Name)
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

// Scope is a piece of work on a device, such as a comparison, with the programs that are made for it: they are let go together. It may be
// shared by fits and goroutines.
type Scope struct {
	device *Device
	own    bool // opened here

	mu       sync.Mutex
	programs map[string]*graph.Exec
}

// ScopeOn begins one on a device that is open. Close it before the device.
func ScopeOn(device *Device) *Scope {
	return &Scope{device: device, programs: map[string]*graph.Exec{}}
}

// OpenScope opens a backend by name, auto or one of [Backends], for this work alone.
func OpenScope(ctx context.Context, name string) (*Scope, error) {
	device, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	s := ScopeOn(device)
	s.own = true
	return s, nil
}

// Name is that of the backend.
func (s *Scope) Name() string { return s.device.Name }

// Close lets the programs go, and closes what OpenScope opened.
func (s *Scope) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, exec := range s.programs {
		exec.Finalize()
	}
	s.programs = nil
	if s.own {
		s.device.Close()
	}
}

// Exec is the program of a key, made when first asked for.
func (s *Scope) Exec(key string, build func([]*graph.Node) []*graph.Node) (*graph.Exec, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if exec, ok := s.programs[key]; ok {
		return exec, nil
	}
	backend := s.device.Backend()
	if backend == nil || s.programs == nil {
		return nil, s.device.closed()
	}
	exec, err := graph.NewExec(backend, build)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "run fsnet doctor", "the program %s could not be made", key)
	}
	exec.WithName(key).SetMaxCache(-1)
	s.programs[key] = exec
	return exec, nil
}

// Call runs a graph once. key names it together with everything that build depends on but the shapes of its inputs.
func (s *Scope) Call(key string, build func([]*graph.Node) []*graph.Node, args ...any) ([]*tensors.Tensor, error) {
	exec, err := s.Exec(key, build)
	if err != nil {
		return nil, err
	}
	return Run(key, exec, args)
}

// Run runs a program; a panic while its graph is built becomes an error that names it.
func Run(name string, exec *graph.Exec, args []any) (out []*tensors.Tensor, err error) {
	err = Guard(quoted(name), func() (err error) {
		out, err = exec.Call(args...)
		return err
	})
	return out, err
}

type quoted string

func (q quoted) String() string { return strconv.Quote(string(q)) }

// Guard is the boundary of all graphs: GoMLX panics where one cannot be built, which becomes an error like any other, and names the
// program.
func Guard(program fmt.Stringer, work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errs.New(errs.Failed, "this is a defect: report it with this line", "the graph %s could not be built: %v", program, r)
		}
	}()
	err = work()
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), exhausted):
		return errs.Wrap(err, errs.Failed, "close other programs that use the device, or choose a smaller batch, fewer features (screen) or another backend",
			"the program %s had too little memory", program)
	}
	return errs.Wrap(err, errs.Failed, "fsnet doctor looks at the device; backend=go needs none", "the program %s failed", program)
}

// exhausted stands in what go-xla reports of a failed allocation: PJRT's RESOURCE_EXHAUSTED.
const exhausted = "PJRT error (code=8)"

// One is Call of a graph with one result.
func (s *Scope) One(key string, build func([]*graph.Node) []*graph.Node, args ...any) (*tensors.Tensor, error) {
	out, err := s.Call(key, build, args...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Numbers is One with its result copied from the device.
func Numbers[T float32 | float64](s *Scope, key string, build func([]*graph.Node) []*graph.Node, args ...any) ([]T, error) {
	out, err := s.One(key, build, args...)
	if err != nil {
		return nil, err
	}
	defer Free(out)
	return copied[T](out)
}

// Floats copies a tensor of 32-bit numbers from the device.
func Floats(t *tensors.Tensor) ([]float32, error) { return copied[float32](t) }

func copied[T float32 | float64](t *tensors.Tensor) ([]T, error) {
	flat, err := tensors.CopyFlatData[T](t)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "run fsnet doctor", "reading a result from the device")
	}
	return flat, nil
}
