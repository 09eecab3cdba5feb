package host

import (
	"context"
	"sync"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
)

// Engine opens real trainings, and keeps the devices that they share. The zero value is ready.
type Engine struct {
	mu      sync.Mutex
	devices map[string]*fsnet.Device // by the name asked for and by their own
}

// Open is an [Opener]: it reads the data set and prepares the training on the device that the settings name.
func (e *Engine) Open(ctx context.Context, settings config.Settings, dir string) (Training, error) {
	data, err := dataset.Open(ctx, settings, dir)
	if err != nil {
		return nil, err
	}
	device, err := e.device(ctx, settings.Backend)
	if err != nil {
		return nil, err
	}
	training, err := fsnet.Open(ctx, device, data, settings)
	if err != nil {
		return nil, err // not a nil *fsnet.Training in a Training
	}
	return Adapt(training), nil
}

// device opens each device once: "auto" and the one it chose are the same.
func (e *Engine) device(ctx context.Context, name string) (*fsnet.Device, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if device := e.devices[name]; device != nil {
		return device, nil
	}
	device, err := fsnet.OpenDevice(ctx, name)
	if err != nil {
		return nil, err
	}
	if e.devices == nil {
		e.devices = map[string]*fsnet.Device{}
	}
	if same := e.devices[device.Name]; same != nil {
		device.Close()
		device = same
	}
	e.devices[name], e.devices[device.Name] = device, device
	return device, nil
}
