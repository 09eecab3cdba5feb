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

// finalizer is implemented by programs that are compiled for a device. The
// device caches them by key and doesn't know what they compute.
type finalizer interface {
	Finalize() // frees their memory on the device; they are not called afterwards
}

// IdlePrograms limits how many unused keys keep their programs. The next
// training may need them.
const IdlePrograms = 4

// programCache holds the programs of a device by key. All users of the
// device share them.
type programCache struct {
	mu     sync.Mutex
	byKey  map[string]*entry
	idle   []*entry // entries without a user; the last one was released last
	closed bool

	// entries being finalised; only close waits for them, because one may
	// still be compiling
	leaving sync.WaitGroup
}

// entry holds the programs of a key and the number of their users.
type entry struct {
	key      string
	programs finalizer
	users    int
}

// TakePrograms returns the programs of a key, which all have type P. It calls
// compile only if the device doesn't have them yet. Programs are shared. The caller must call release
// once and not use them afterwards. Programs without a user stay on the
// device until [IdlePrograms] others are released after them.
func TakePrograms[P finalizer](d *Device, key string, compile func() (P, error)) (programs P, release func(), err error) {
	c := d.programs
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || d.backend == nil {
		return programs, nil, d.closedError()
	}

	k := c.byKey[key]
	if k == nil {
		if programs, err = compile(); err != nil {
			return programs, nil, err
		}
		k = &entry{key: key, programs: programs}
		if c.byKey == nil {
			c.byKey = map[string]*entry{}
		}
		c.byKey[key] = k
	}

	k.users++
	c.idle = slices.DeleteFunc(c.idle, func(other *entry) bool { return other == k })
	return k.programs.(P), func() { c.release(k) }, nil
}

func (d *Device) closedError() error {
	return errs.New(errs.Unavailable, "open it again", "the device %s is closed", d.Name)
}

// Programs returns the number of keys that have programs on the device.
func (d *Device) Programs() int {
	d.programs.mu.Lock()
	defer d.programs.mu.Unlock()
	return len(d.programs.byKey)
}

// release ends one use of k and finalizes the programs that leave the device
// because of that. This may wait for a compilation, so it is done without
// the lock.
func (c *programCache) release(k *entry) {
	for _, old := range c.evict(k) {
		old.programs.Finalize()
		c.leaving.Done()
	}
}

// evict removes a user from k. If there are too many entries without a user,
// it removes the oldest of them from the cache and returns them. The caller
// must finalize them.
func (c *programCache) evict(k *entry) (old []*entry) {
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

// close finalizes all programs, in use or not, and waits for those that are
// leaving. From then on TakePrograms returns an error and release does nothing.
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

// Scope is a piece of work on a device, e.g. a comparison, with the programs
// compiled for it. They are all freed at once. Fits and goroutines may share
// a Scope.
type Scope struct {
	// OpenScope opened the device
	device *Device
	own    bool // opened here

	mu       sync.Mutex
	programs map[string]*graph.Exec
}

// ScopeOn returns a scope on an open device. The caller must close it before
// the device.
func ScopeOn(device *Device) *Scope {
	return &Scope{device: device, programs: map[string]*graph.Exec{}}
}

// OpenScope opens a backend, auto or one of [Backends], for a single scope.
// Closing the scope also closes the backend.
func OpenScope(ctx context.Context, name string) (*Scope, error) {
	device, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	s := ScopeOn(device)
	s.own = true
	return s, nil
}

// Name returns the name of the backend.
func (s *Scope) Name() string { return s.device.Name }

// Close frees the programs. If OpenScope opened the device, it also closes
// that.
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

// Exec returns the program of a key. The first call makes it from build. It
// compiles when it first runs with inputs of new shapes. After Close the
// error is of kind Unavailable.
func (s *Scope) Exec(key string, build func([]*graph.Node) []*graph.Node) (*graph.Exec, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if exec, ok := s.programs[key]; ok {
		return exec, nil
	}

	backend := s.device.Backend()
	if backend == nil || s.programs == nil {
		return nil, s.device.closedError()
	}
	exec, err := graph.NewExec(backend, build)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "run fsnet doctor", "the program %s could not be made", key)
	}
	exec.WithName(key).SetMaxCache(-1)
	s.programs[key] = exec
	return exec, nil
}

// Call runs a graph and returns its results. The caller must free them. key
// must identify the graph and everything that build depends on, except for
// the shapes of its inputs.
func (s *Scope) Call(key string, build func([]*graph.Node) []*graph.Node, args ...any) ([]*tensors.Tensor, error) {
	exec, err := s.Exec(key, build)
	if err != nil {
		return nil, err
	}
	return Run(key, exec, args)
}

// Run runs a program. If building its graph panics, the error names the
// program.
func Run(name string, exec *graph.Exec, args []any) (out []*tensors.Tensor, err error) {
	err = Guard(programName(name), func() (err error) {
		out, err = exec.Call(args...)
		return err
	})
	return out, err
}

type programName string

func (n programName) String() string { return strconv.Quote(string(n)) }

// Guard is the boundary of all graphs. GoMLX panics if it cannot build a
// graph. Guard turns the panic into an error that names the program. Errors
// of work become errors of kind Failed.
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

// exhausted is part of go-xla's error for a failed allocation,
// RESOURCE_EXHAUSTED of PJRT.
const exhausted = "PJRT error (code=8)"

// One is [Scope.Call] for a graph with one result.
func (s *Scope) One(key string, build func([]*graph.Node) []*graph.Node, args ...any) (*tensors.Tensor, error) {
	out, err := s.Call(key, build, args...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Numbers is [Scope.One] with the result copied from the device.
func Numbers[T float32 | float64](s *Scope, key string, build func([]*graph.Node) []*graph.Node, args ...any) ([]T, error) {
	out, err := s.One(key, build, args...)
	if err != nil {
		return nil, err
	}
	defer Free(out)
	return copyFlat[T](out)
}

// Floats copies a tensor of 32-bit numbers from the device.
func Floats(t *tensors.Tensor) ([]float32, error) { return copyFlat[float32](t) }

// copyFlat copies the numbers of a tensor from the device, in row-major
// order. T must be their type.
func copyFlat[T float32 | float64](t *tensors.Tensor) ([]T, error) {
	flat, err := tensors.CopyFlatData[T](t)
	if err != nil {
		return nil, errs.Wrap(err, errs.Failed, "run fsnet doctor", "reading a result from the device")
	}
	return flat, nil
}
