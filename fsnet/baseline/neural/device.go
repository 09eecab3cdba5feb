package neural

import (
	"context"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// Device is where programs run, with those that were made for it. It may be shared by fits and goroutines.
type Device struct {
	device *device.Device
	own    bool // opened here
	loops  bool

	mu       sync.Mutex
	programs map[string]*graph.Exec
}

// On is a device with the programs that are made for it. Close it before the one that it stands on.
func On(device *device.Device) *Device {
	return &Device{device: device, loops: device.Name != "go", programs: map[string]*graph.Exec{}}
}

// Open opens a backend by name: auto, or one of device.Backends.
func Open(ctx context.Context, name string) (*Device, error) {
	device, err := device.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	d := On(device)
	d.own = true
	return d, nil
}

// Name is that of the backend.
func (d *Device) Name() string { return d.device.Name }

// Close lets the programs go, and closes what Open opened.
func (d *Device) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, exec := range d.programs {
		exec.Finalize()
	}
	d.programs = nil
	if d.own {
		d.device.Close()
	}
}

// exec is the program of a key, made when first asked for.
func (d *Device) exec(key string, build func([]*graph.Node) []*graph.Node) (*graph.Exec, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if exec, ok := d.programs[key]; ok {
		return exec, nil
	}
	backend := d.device.Backend()
	if backend == nil || d.programs == nil {
		return nil, fault.New(fault.Unavailable, "open it again", "the device %s is closed", d.device.Name)
	}
	exec, err := graph.NewExec(backend, build)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "run fsnet doctor", "the program %s could not be made", key)
	}
	exec.WithName(key).SetMaxCache(-1)
	d.programs[key] = exec
	return exec, nil
}

// Call runs a graph once. key names it together with everything that build depends on but the shapes of its inputs.
func (d *Device) Call(key string, build func([]*graph.Node) []*graph.Node, args ...any) ([]*tensors.Tensor, error) {
	exec, err := d.exec(key, build)
	if err != nil {
		return nil, err
	}
	return call(key, exec, args)
}

// call runs a program; a panic while its graph is built becomes an error that names it.
func call(name string, exec *graph.Exec, args []any) (out []*tensors.Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.New(fault.Failed, "this is a defect: report it with this line", "the graph %q could not be built: %v", name, r)
		}
	}()
	out, err = exec.Call(args...)
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "fsnet doctor looks at the device; backend=go needs none", "the program %q failed", name)
	}
	return out, nil
}

// One is Call of a graph with one result.
func (d *Device) One(key string, build func([]*graph.Node) []*graph.Node, args ...any) (*tensors.Tensor, error) {
	out, err := d.Call(key, build, args...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Numbers is One with its result copied from the device.
func Numbers[T float32 | float64](d *Device, key string, build func([]*graph.Node) []*graph.Node, args ...any) ([]T, error) {
	out, err := d.One(key, build, args...)
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

// Free releases device memory now rather than at the next garbage collection, which does not see it.
func Free(list ...*tensors.Tensor) {
	for _, t := range list {
		if t != nil {
			_ = t.FinalizeAll() // one that cannot be released was released before
		}
	}
}
