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

// Config is what the user asks for; see package config for its keys.
type Config = config.Config

// An Option adjusts Fit.
type Option func(*fitOptions)

type fitOptions struct {
	device   *device.Device
	progress func(session.Status) error
	result   *Result
}

// OnDevice trains on a device that is open already; Fit leaves it open. Without it Fit opens the one that the configuration names. The
// error is of kind Request where it names another one.
func OnDevice(d *device.Device) Option { return func(o *fitOptions) { o.device = d } }

// WithProgress calls report after every chunk of steps, about ten times a second, from the goroutine that called Fit. Its error stops the
// fit, which then returns the model as far as it came, and that error.
func WithProgress(report func(session.Status) error) Option {
	return func(o *fitOptions) { o.progress = report }
}

// WithResult fills in what the training came to, with figures on its training, validation and test rows.
func WithResult(r *Result) Option { return func(o *fitOptions) { o.result = r } }

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
	if !strings.HasPrefix(filepath.Base(c.Data), data.Name) && c.Data != "" { // a name has no endings, such as .csv.gz
		return nil, errs.New(errs.Request, "leave data out, or call FitFile", "data = %s, but the data given are %s", c.Data, data.Name)
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

// ToEnd trains an open training to the end of the annealing, or until the stop key ends it, lets read take what it came to, and closes it:
// every fit of a study is made so. report may be nil; it is called as [WithProgress] says, and an error of it stops the training. Where the
// context is cancelled, or report stops it, read takes what there is, and that error is returned; after any other error nothing is read.
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
