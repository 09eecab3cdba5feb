package fsnet

import (
	"context"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Config is what the user asks for; see package config for its keys.
type Config = config.Config

// An Option adjusts Fit.
type Option func(*fitOptions)

type fitOptions struct {
	device   *device.Device
	progress func(session.Status)
}

// OnDevice trains on a device that is open already; Fit leaves it open. Without it Fit opens the one that the configuration names.
func OnDevice(d *device.Device) Option { return func(o *fitOptions) { o.device = d } }

// WithProgress calls report after every chunk of steps, about ten times a second, from the goroutine that called Fit.
func WithProgress(report func(session.Status)) Option {
	return func(o *fitOptions) { o.progress = report }
}

// Fit trains to the end of the annealing, or until the stop key ends it, and returns the model. Where the context is cancelled it
// returns the model as far as it came and an error of kind Interrupted.
func Fit(ctx context.Context, data *dataset.Dataset, c Config, options ...Option) (*Model, error) {
	var o fitOptions
	for _, option := range options {
		option(&o)
	}
	settings, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if o.device == nil {
		if o.device, err = device.Open(ctx, settings.Backend); err != nil {
			return nil, err
		}
		defer o.device.Close()
	}
	t, err := train.Open(ctx, o.device, data, settings)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	runErr := t.Run(ctx, o.progress)
	if runErr != nil && !fault.Is(runErr, fault.Interrupted) {
		return nil, runErr
	}
	model, err := ModelOf(t)
	if err != nil {
		return nil, err
	}
	return model, runErr
}
