package fsnet

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Config is the configuration of the user. Package config describes its
// keys.
type Config = config.Config

// An Option adjusts Fit.
type Option func(*fitOptions)

type fitOptions struct {
	device   *device.Device
	progress func(session.Status) error
	result   *Result
}

// OnDevice trains on a device that is already open, and which Fit does not
// close. Without this option Fit opens the device that the configuration names.
// If the configuration names another device than d, the error is of kind
// Request.
func OnDevice(d *device.Device) Option { return func(o *fitOptions) { o.device = d } }

// WithProgress calls report after every chunk of steps, about ten times a
// second, in the goroutine that called Fit. If report returns an error, Fit
// stops and returns that error, together with a model of the training so far.
func WithProgress(report func(session.Status) error) Option {
	return func(o *fitOptions) { o.progress = report }
}

// WithResult stores the result of the training in r, with its scores on
// training, validation and test rows.
func WithResult(r *Result) Option { return func(o *fitOptions) { o.result = r } }

// FitFile is like [Fit], but reads the data that the configuration names: a
// file or a built-in data set. A relative path starts in the working directory.
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

// Fit trains to the end of the annealing, or until the key stop ends it, and
// returns the model. If the context is canceled, it returns a model of the
// training so far and an error of kind Interrupted.
//
// The keys data, label, samples and covariates are for reading data, so they
// have no effect here. Groups, pairs, weights and a nuisance come from data,
// whether or not the configuration names their columns. If the configuration
// names other data or another column, the error is of kind Request.
func Fit(ctx context.Context, data *dataset.Dataset, c Config, options ...Option) (*Model, error) {
	settings, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	// data.Name has no extension such as .csv.gz.
	if !strings.HasPrefix(filepath.Base(c.Data), data.Name) && c.Data != "" {
		return nil, errs.New(errs.Request, "leave data out, or call FitFile", "data = %s, but the data given are %s", c.Data, data.Name)
	}
	return fit(ctx, data, settings, options)
}

// fit does the work of Fit with resolved settings. If no option gives a device,
// it opens one and closes it at the end.
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
		return nil, errs.New(errs.Request, "leave backend out, or open that device", "backend = %s, but the device given is %s",
			settings.Backend, o.device.Name)
	}

	t, err := train.Open(ctx, o.device, data, settings)
	if err != nil {
		return nil, err
	}

	var model *Model
	err = ToEnd(ctx, t, o.progress, func() (err error) {
		if o.result != nil {
			var r *Result
			if r, err = ResultOf(t, data.Source); err != nil {
				return err
			}
			*o.result = *r
		}
		model, err = ModelOf(t)
		return err
	})
	return model, err
}

// ToEnd trains an open training to the end of the annealing, or until the key
// stop ends it. It then calls read and closes t. read may read the results from
// t. Every fit of a study uses it. It calls report as described at
// [WithProgress]; report may be nil. If the context is canceled or report
// returns an error, ToEnd still calls read, and returns that error. After any
// other error it does not call read.
func ToEnd(ctx context.Context, t *train.Training, report func(session.Status) error, read func() error) error {
	defer t.Close()
	running, stop := context.WithCancel(ctx)
	defer stop()
	var stopped error

	err := t.Run(running, func(s session.Status) {
		if report == nil || stopped != nil {
			return
		}
		if stopped = report(s); stopped != nil {
			stop()
		}
	})

	if err != nil && !errs.Is(err, errs.Interrupted) {
		return err
	}
	return cmp.Or(read(), stopped, err)
}
