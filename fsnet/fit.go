package fsnet

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

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
	progress func(session.Status) error
}

// OnDevice trains on a device that is open already; Fit leaves it open. Without it Fit opens the one that the configuration names. The
// error is of kind Request where it names another one.
func OnDevice(d *device.Device) Option { return func(o *fitOptions) { o.device = d } }

// WithProgress calls report after every chunk of steps, about ten times a second, from the goroutine that called Fit. Its error stops the
// fit, which then returns the model as far as it came, and that error.
func WithProgress(report func(session.Status) error) Option {
	return func(o *fitOptions) { o.progress = report }
}

// FitFile is [Fit] on the data that the configuration names: a file, by its path, or a built-in data set.
func FitFile(ctx context.Context, c Config, options ...Option) (*Model, error) {
	settings, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return nil, err
	}
	return fit(ctx, data, settings, options)
}

// Fit trains to the end of the annealing, or until the stop key ends it, and returns the model. Where the context is cancelled it
// returns the model as far as it came and an error of kind Interrupted.
//
// The keys data, label, samples and covariates were for reading the data. Groups, pairs, weights and a nuisance are those that the data
// have, whether the configuration names their columns or not. The error is of kind Request where it names other data, or another column.
func Fit(ctx context.Context, data *dataset.Dataset, c Config, options ...Option) (*Model, error) {
	settings, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(c.Data), filepath.Ext(c.Data))
	if c.Data != "" && c.Data != data.Name && name != data.Name {
		return nil, fault.New(fault.Request, "leave data out, or call FitFile", "data = %s, but the data given are %s", c.Data, data.Name)
	}
	return fit(ctx, data, settings, options)
}

func fit(ctx context.Context, data *dataset.Dataset, settings config.Settings, options []Option) (*Model, error) {
	var o fitOptions
	for _, option := range options {
		option(&o)
	}
	switch {
	case o.device == nil:
		var err error
		if o.device, err = device.Open(ctx, settings.Backend); err != nil {
			return nil, err
		}
		defer o.device.Close()
	case settings.Backend != "auto" && settings.Backend != o.device.Name:
		return nil, fault.New(fault.Request, "leave backend out, or open that device", "backend = %s, but the device given is %s",
			settings.Backend, o.device.Name)
	}
	t, err := train.Open(ctx, o.device, data, settings)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var stopped error
	err = t.Run(running, func(s session.Status) {
		if o.progress == nil || stopped != nil {
			return
		}
		if stopped = o.progress(s); stopped != nil {
			stop(stopped)
		}
	})
	if err != nil && !fault.Is(err, fault.Interrupted) {
		return nil, err
	}
	model, failed := ModelOf(t)
	if failed != nil {
		return nil, failed
	}
	return model, cmp.Or(stopped, err)
}
