package stability

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
)

// StandardPairs is how many pairs of half-samples the words were measured with.
const StandardPairs = 20

// MaxPairs is the most pairs of half-samples.
const MaxPairs = 1000

// Options are what is asked for besides the fit.
type Options struct {
	Pairs    int            // of half-samples; 0 is StandardPairs
	Decoys   bool           // permuted copies of all columns take part
	Evaluate bool           // ask what the choice and the consensus reach on the test rows, which is a look at them
	Progress func(Progress) // nil, or called now and then, never twice at once
}

// Progress is how far a Run has come.
type Progress struct {
	Done, Planned int           // half-samples; the single fit comes before them
	Share         float64       // of the work, 0 to 1
	Left          time.Duration // at this pace; 0 while it is not known
}

// Run makes the single fit of these settings on an open device, which is the choice, and the same fit to half-samples of the training rows.
//
// A half-sample whose fit fails is counted in the result, and the others go on. Where the context is cancelled Run returns the result of
// the half-samples that are done, with an error of kind Interrupted; without one that is done there is no result. Errors of kind Request
// are those of [dataset.Prepare] and of a number of pairs that is out of range.
func Run(ctx context.Context, on *device.Device, data *dataset.Dataset, settings config.Settings, o Options) (*Result, error) {
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
	s, err := newSample(data, settings, o.Pairs, o.Decoys)
	if err != nil {
		return nil, err
	}
	f := newFits(on, s, settings, o.Progress)
	chosen, err := f.fit(ctx, data, settings, func(share float64) { f.at(-1, share) })
	switch {
	case ctx.Err() != nil:
		return nil, fault.New(fault.Interrupted, "", "interrupted with 0 of %s done", count.Of(len(s.halves), "half-sample"))
	case err != nil:
		return nil, err
	}
	f.end(-1, nil, nil)
	f.inTurn(ctx)
	stopped := ctx.Err() != nil && f.unfinished()
	if f.done() == 0 {
		if stopped {
			return nil, fault.New(fault.Interrupted, "", "interrupted with 0 of %s done", count.Of(len(s.halves), "half-sample"))
		}
		return nil, f.failed
	}
	// What is done is worth its figures, also where the run was interrupted.
	result, err := newResult(context.WithoutCancel(ctx), on, s, settings, chosen, f, o)
	if err != nil {
		return nil, err
	}
	result.Seconds = time.Since(start).Round(time.Millisecond).Seconds()
	if stopped {
		return result, fault.New(fault.Interrupted, "", "interrupted with %d of %s done", result.Done, count.Of(result.Planned, "half-sample"))
	}
	return result, nil
}

// fits are those to the half-samples, as far as they came.
type fits struct {
	device   *device.Device
	sample   *sample
	settings config.Settings
	report   func(Progress)

	mu     sync.Mutex
	picks  [][]int // of each half-sample: places in the sample's table; nil: none yet
	broken int     // fits that failed
	failed error   // the first of their errors
	shares map[int]float64
	now    Progress
	since  time.Time
	told   time.Time
}

// reportInterval is the least time between two reports in which no fit ended.
const reportInterval = 100 * time.Millisecond

func newFits(on *device.Device, s *sample, settings config.Settings, report func(Progress)) *fits {
	if report == nil {
		report = func(Progress) {}
	}
	return &fits{
		device: on, sample: s, settings: settings, report: report, picks: make([][]int, len(s.halves)), shares: map[int]float64{},
		now: Progress{Planned: len(s.halves)}, since: time.Now(),
	}
}

// at notes how far a fit is; half −1 is the single fit.
func (f *fits) at(half int, share float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shares[half] = share
	if time.Since(f.told) >= reportInterval {
		f.tell()
	}
}

// end notes what a fit came to; places are nil for the single fit.
func (f *fits) end(half int, places []int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shares[half] = 1
	switch {
	case err != nil:
		if f.broken++; f.failed == nil {
			f.failed = err
		}
	case half >= 0:
		f.picks[half] = places
		f.now.Done++
	}
	f.tell()
}

func (f *fits) tell() {
	sum := 0.0
	for _, share := range f.shares {
		sum += share
	}
	f.now.Share = sum / float64(len(f.picks)+1)
	if f.now.Share > 0 {
		f.now.Left = time.Duration(float64(time.Since(f.since)) * (1 - f.now.Share) / f.now.Share)
	}
	f.told = time.Now()
	f.report(f.now)
}

func (f *fits) done() int { return f.now.Done }

// unfinished is whether a half-sample has neither an outcome nor an error.
func (f *fits) unfinished() bool { return f.now.Done+f.broken < len(f.picks) }

// share is how far a training is.
func share(s session.Status) float64 { return float64(s.Step) / float64(max(s.Steps, 1)) }
