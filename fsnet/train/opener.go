package train

import (
	"context"
	"errors"
	"slices"
	"sync"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// Opener opens trainings for a host, and keeps the devices that they share.
// The zero value is ready to use.
type Opener struct {
	mu      sync.Mutex
	devices map[string]*device.Device // by the requested name and by the name of the device
}

// Open reads the data set and prepares the training on the device that the
// settings name. If no training has opened the device yet, it opens it.
// Relative paths start at dir.
func (o *Opener) Open(ctx context.Context, settings config.Settings, dir string) (session.Training, error) {
	data, err := dataset.Open(ctx, settings, dir)
	if err != nil {
		return nil, err
	}
	device, err := o.device(ctx, settings.Backend)
	if err != nil {
		return nil, err
	}
	t, err := Open(ctx, device, data, settings)
	if err != nil {
		return nil, err // t would be a non-nil interface that holds a nil *Training.
	}
	return t, nil
}

// Resume resumes from the newest intact checkpoint and returns the faults of
// the damaged ones. files must be ordered from the newest to the oldest. If the
// newest has another format version, Resume returns an error, because
// continuing from an older one would lose work.
func (o *Opener) Resume(ctx context.Context, files []string, dir string) (session.Training, []error, error) {
	newest, earlier, damaged, err := loadNewest(files)
	if err != nil {
		return nil, damaged, err
	}
	data, err := dataset.Open(ctx, newest.Opened, dir)
	if err != nil {
		return nil, damaged, err
	}
	device, err := o.device(ctx, newest.Opened.Backend)
	if err != nil {
		return nil, damaged, err
	}
	t, err := Resume(ctx, device, data, newest, earlier...)
	if err != nil {
		return nil, damaged, err
	}
	return t, damaged, nil
}

// loadNewest reads checkpoints, ordered from the newest to the oldest. It
// returns the newest intact one, the earlier ones by step, and the faults of
// damaged ones. If the newest has another format version, or no checkpoint is
// intact, it returns an error.
func loadNewest(files []string) (newest *Checkpoint, earlier []*Checkpoint, damaged []error, err error) {
	for _, path := range files {
		c, err := LoadCheckpoint(path)
		switch {
		case errors.Is(err, ErrCheckpointVersion) && newest == nil:
			return nil, nil, damaged, err
		case err != nil:
			damaged = append(damaged, err)
		case newest == nil:
			newest = c
		case c.Step < newest.Step:
			earlier = append(earlier, c)
		}
	}
	if newest == nil {
		return nil, nil, damaged, errs.New(errs.Request, "open it with replace=true to start over", "none of %s can be read: %s",
			phrase.Count(len(files), "checkpoint"), errs.Of(damaged[0]).What)
	}
	slices.Reverse(earlier)
	return newest, earlier, damaged, nil
}

// device returns the device of a backend. It opens each device once. "auto"
// shares the device that it chose. The opener never closes a device that it has
// returned.
func (o *Opener) device(ctx context.Context, name string) (*device.Device, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if device := o.devices[name]; device != nil {
		return device, nil
	}
	opened, err := device.Open(ctx, name)
	if err != nil {
		return nil, err
	}

	if o.devices == nil {
		o.devices = map[string]*device.Device{}
	}

	if same := o.devices[opened.Name]; same != nil {
		opened.Close()
		opened = same
	}
	o.devices[name], o.devices[opened.Name] = opened, opened
	return opened, nil
}
