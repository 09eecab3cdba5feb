package replica

import (
	"context"
	"errors"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
)

// Train makes one training on an open device, runs it to its end, writes its model to save ("" is nowhere) and returns what it came to.
// report may be nil; it is called as that of [train.Training.Run].
//
// Where the context is cancelled it returns the result as far as the training came, writes no model, and the error is of kind
// Interrupted. Other errors come without a result.
func Train(ctx context.Context, device *device.Device, data *dataset.Dataset, settings config.Settings, save string,
	report func(session.Status)) (*Result, error) {
	t, err := train.Open(ctx, device, data, settings)
	if err != nil {
		return nil, err
	}
	return advance(ctx, t, data.Source, save, report)
}

// advance is Train of a training that is open, which it closes.
func advance(ctx context.Context, t *train.Training, source, save string, report func(session.Status)) (*Result, error) {
	defer t.Close()
	runErr := t.Run(ctx, report)
	if runErr != nil && !fault.Is(runErr, fault.Interrupted) {
		return nil, runErr
	}
	result, err := resultOf(t, source)
	if err != nil {
		return nil, errors.Join(runErr, err)
	}
	if runErr != nil || save == "" {
		return result, runErr
	}
	model, err := fsnet.ModelOf(t)
	if err != nil {
		return nil, err
	}
	if err := model.Save(save); err != nil {
		return nil, err
	}
	return result, nil
}
