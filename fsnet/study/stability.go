package study

import (
	"context"
	"fmt"
	"math"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// StandardPairs is how many pairs of half-samples the words were measured with.
const StandardPairs = 20

// MaxPairs is the most pairs of half-samples.
const MaxPairs = 1000

// StabilityOptions are what is asked for besides the fit.
type StabilityOptions struct {
	Pairs    int            // of half-samples; 0 is StandardPairs
	Decoys   bool           // permuted copies of all columns take part
	Evaluate bool           // ask what the choice and the consensus reach on the test rows, which is a look at them
	Progress func(Progress) // nil, or called now and then, never twice at once
}

// Stable makes the single fit of these settings on an open device, which is the choice, and the same fit to half-samples of the training rows.
//
// A half-sample whose fit fails is counted in the result, and the others go on. Where the context is cancelled Run returns the result of
// the half-samples that are done, with an error of kind Interrupted; without one that is done there is no result. Errors of kind Request
// are those of [dataset.Prepare] and of a number of pairs that is out of range.
func Stable(ctx context.Context, on *device.Device, data *dataset.Dataset, settings config.Settings, o StabilityOptions) (*StabilityResult, error) {
	if o.Pairs == 0 {
		o.Pairs = StandardPairs
	}
	if o.Pairs < 1 || o.Pairs > MaxPairs {
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", MaxPairs), "pairs = %d", o.Pairs)
	}
	if settings.Seed > math.MaxInt64-int64(2*o.Pairs) {
		return nil, fault.New(fault.Request, "choose a smaller seed", "seed = %d and %d half-samples leave the range of seeds", settings.Seed,
			2*o.Pairs)
	}
	start := time.Now()
	data, err := data.Dense(ctx, "stability")
	if err != nil {
		return nil, err
	}
	s, err := newHalfSample(data, settings, o.Pairs, o.Decoys)
	if err != nil {
		return nil, err
	}
	f := newHalfFits(on, s, settings, o.Progress)
	chosen, err := f.fit(ctx, data, settings, -1)
	switch {
	case ctx.Err() != nil:
		return nil, fault.New(fault.Interrupted, "", "interrupted with 0 of %s done", count.Of(len(s.halves), "half-sample"))
	case err != nil:
		return nil, err
	}
	f.end(-1, nil, nil)
	f.inTurn(ctx)
	stopped := ctx.Err() != nil && f.now.Done < len(f.picks)
	if f.done() == 0 {
		if stopped {
			return nil, fault.New(fault.Interrupted, "", "interrupted with 0 of %s done", count.Of(len(s.halves), "half-sample"))
		}
		return nil, f.failed
	}
	// What is done is worth its figures, also where the run was interrupted.
	result, err := newStabilityResult(context.WithoutCancel(ctx), on, s, settings, chosen, f, o)
	if err != nil {
		return nil, err
	}
	result.Seconds = time.Since(start).Round(time.Millisecond).Seconds()
	if stopped {
		return result, fault.New(fault.Interrupted, "", "interrupted with %d of %s done", result.Done, count.Of(result.Planned, "half-sample"))
	}
	return result, nil
}

// halfFits are those to the half-samples, as far as they came.
type halfFits struct {
	device   *device.Device
	sample   *halfSample
	settings config.Settings
	*tracker

	picks  [][]int // of each half-sample: places in the sample's table; nil: none yet
	failed error   // the first error
}

func newHalfFits(on *device.Device, s *halfSample, settings config.Settings, report func(Progress)) *halfFits {
	n := len(s.halves)
	return &halfFits{device: on, sample: s, settings: settings, tracker: newTracker(n, n+1, report), picks: make([][]int, n)}
}

// end notes what a fit came to; half −1 is the single fit.
func (f *halfFits) end(half int, places []int, err error) {
	f.tracker.end(half, 0, func(now *Progress) {
		switch {
		case err != nil:
			now.Done++
			if now.Failed++; f.failed == nil {
				f.failed = err
			}
		case half >= 0:
			f.picks[half] = places
			now.Done++
		}
	})
}

// done is how many half-samples have an outcome.
func (f *halfFits) done() int { return f.now.Done - f.now.Failed }
