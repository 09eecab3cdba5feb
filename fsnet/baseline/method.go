package baseline

import (
	"context"

	"fsnetlab/fsnet/baseline/neural"
	"fsnetlab/fsnet/fault"
)

// Method selects features, or predicts, or both. A value of a method is its settings; its zero value has the defaults.
type Method interface {
	// Name is the one it is registered by.
	Name() string
	// Version goes up when the method selects, scores or predicts otherwise than before: for the same data, settings, K and seed, also
	// where what changed is a default or the program that all neural methods share. Figures of two versions do not belong in one table.
	Version() int
	// Fit selects o.K features of data and, where the method predicts, learns to. It does not change or keep data. It returns an error
	// of kind Request where data or options do not suit, and of kind Interrupted where ctx was cancelled.
	Fit(ctx context.Context, data Data, o Options) (*Model, error)
	// Memory is what a Fit takes at the most besides the data and the program, on host and device together: sizes that are known and copies
	// that were counted.
	Memory(s Sizes) []Use
}

// Options are what every method takes.
type Options struct {
	K        int            // features to select, 1…d; 0 for methods that use every feature
	Seed     int64          // everything random is a function of it
	Progress func(Progress) // nil, or called now and then from the goroutine that called Fit
	Memory   int64          // bytes that Fit may take besides the data; 0: what this machine has free
	Device   *neural.Device // where networks and kernels are computed, with what was compiled before; nil: the best one is opened for this Fit
}

// Progress says how far a Fit has come.
type Progress struct {
	Stage       string // what is being done, such as "kernels"
	Done, Total int    // steps of this stage
}

func (o Options) report(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{stage, done, total})
	}
}

// checkK refuses what K cannot be.
func (o Options) checkK(method string, d int) error {
	switch {
	case o.K < 1:
		return fault.New(fault.Request, "use k=1 or more", "%s: k = %d", method, o.K)
	case o.K > d:
		return fault.New(fault.Request, remedyK(d), "%s: k = %d is more than the %d features", method, o.K, d)
	}
	return nil
}

// device is Device, or one that was opened for this Fit. Call done when it is no longer needed.
func (o Options) device(ctx context.Context) (device *neural.Device, done func(), err error) {
	if o.Device != nil {
		return o.Device, func() {}, nil
	}
	device, err = neural.Open(ctx, "auto")
	if err != nil {
		return nil, nil, err
	}
	return device, device.Close, nil
}
