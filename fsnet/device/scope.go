package device

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/fault"
)

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
		return nil, fault.New(fault.Unavailable, "open it again", "the device %s is closed", s.device.Name)
	}
	exec, err := graph.NewExec(backend, build)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "the program %s could not be made", key)
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
			err = fault.New(fault.Failed, "this is a defect: report it with this line", "the graph %s could not be built: %v", program, r)
		}
	}()
	if err := work(); err != nil {
		return fault.Wrap(err, fault.Failed, "fsnet doctor looks at the device; backend=go needs none", "the program %s failed", program)
	}
	return nil
}

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
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "reading a result from the device")
	}
	return flat, nil
}
