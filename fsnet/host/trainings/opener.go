// Package trainings opens the trainings that a host holds: their data, their devices, their checkpoints. It is what connects package host,
// which knows no engine, with package train.
//
//	opener := new(trainings.Opener)
//	h := host.New(host.Options{Open: opener.Open, Resume: opener.Resume})
//
// # Caveats
//
// An [Opener] keeps the devices that it opened, and trainings share them. Resume uses the newest intact checkpoint and reports damaged
// ones; a checkpoint of another format version is an error, so that nothing is lost by going on without it.
package trainings

import (
	"context"
	"errors"
	"slices"
	"sync"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/phrase"
)

// Opener opens trainings, and keeps the devices that they share. The zero value is ready.
type Opener struct {
	mu      sync.Mutex
	devices map[string]*device.Device // by the name asked for and by their own
}

// Open is a [host.Opener]: it reads the data set and prepares the training on the device that the settings name.
func (o *Opener) Open(ctx context.Context, settings config.Settings, dir string) (host.Training, error) {
	data, err := dataset.Open(ctx, settings, dir)
	if err != nil {
		return nil, err
	}
	device, err := o.device(ctx, settings.Backend)
	if err != nil {
		return nil, err
	}
	training, err := train.Open(ctx, device, data, settings)
	if err != nil {
		return nil, err // not a nil *train.Training in a Training
	}
	return held{training}, nil
}

// Resume is a [host.Resumer].
func (o *Opener) Resume(ctx context.Context, files []string, dir string) (host.Training, []error, error) {
	newest, earlier, damaged, err := load(files)
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
	training, err := train.Resume(ctx, device, data, newest, earlier...)
	if err != nil {
		return nil, damaged, err
	}
	return held{training}, damaged, nil
}

// held is a training as a host holds it.
type held struct{ *train.Training }

// Past implements [host.Training].
func (h held) Past(step int) (host.Past, error) {
	past, err := h.Replay(step)
	if err != nil {
		return nil, err // not a nil *train.Replay in a Past
	}
	return heldPast{past}, nil
}

type heldPast struct{ *train.Replay }

// Fork implements [host.Past].
func (p heldPast) Fork() host.Training { return held{p.Replay.Fork()} }

// load reads checkpoints, the newest first, and gives those before the newest good one by step. One of another version is an error and not
// damaged: else what an older program left behind it would be lost.
func load(files []string) (newest *train.Checkpoint, earlier []*train.Checkpoint, damaged []error, err error) {
	for _, path := range files {
		c, err := train.LoadCheckpoint(path)
		switch {
		case errors.Is(err, train.ErrCheckpointVersion) && newest == nil:
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

// device opens each device once: "auto" and the one it chose are the same.
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
