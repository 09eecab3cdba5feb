package baseline

import (
	"context"
	"strconv"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Method selects features, or predicts, or both. A value of a method is its settings; its zero value has the defaults.
type Method interface {
	// Entry is what the method is.
	Entry() Entry
	// Fit selects o.K features of data and, where the method predicts, learns to. It does not change or keep data. It returns an error
	// of kind Request where data or options do not suit, and of kind Interrupted where ctx was cancelled.
	Fit(ctx context.Context, data Data, o Options) (*Model, error)
	// Memory is what a Fit takes at the most besides the data and the program, on host and device together: sizes that are known and copies
	// that were counted.
	Memory(s Sizes) []Use
}

// Entry describes a method.
type Entry struct {
	Name       string // by which it is asked for
	About      string // one line
	Selects    bool   // else it uses every feature, and K is 0
	Predicts   bool   // its Model has a Predictor, and a Regressor where it was fitted to quantities
	Regression bool   // it also takes quantities
	Neural     bool   // it trains a network on Options.Device
	Kernels    bool   // its kernels are computed on Options.Device

	// Version goes up when the method selects, scores or predicts otherwise than before: for the same data, settings, K and seed, also
	// where what changed is a default or the program that all neural methods share. Figures of two versions do not belong in one table.
	Version int
}

// Refusal is an error of kind Request.
func (e Entry) Refusal(remedy, format string, args ...any) error {
	return fault.New(fault.Request, remedy, e.Name+": "+format, args...)
}

// Options are what every method takes.
type Options struct {
	K        int            // features to select, 1…d; 0 for methods that use every feature
	Seed     int64          // everything random is a function of it
	Progress func(Progress) // nil, or called now and then from the goroutine that called Fit
	Memory   int64          // bytes that Fit may take besides the data; 0: what this machine has free
	Device   *device.Scope  // where networks and kernels are computed, with what was compiled before; nil: one is opened for this Fit
}

// Progress says how far a Fit has come.
type Progress struct {
	Stage       string // what is being done, such as "kernels"
	Done, Total int    // steps of this stage
}

// checkK refuses what K cannot be.
func (o Options) checkK(e Entry, d int) error {
	switch {
	case !e.Selects && o.K != 0:
		return e.Refusal("leave k out; for fewer features fit it to those that another method selected",
			"k = %d, but it uses every feature", o.K)
	case e.Selects && o.K < 1:
		return e.Refusal("use k=1 or more", "k = %d", o.K)
	case o.K > d:
		return e.Refusal("use k="+strconv.Itoa(d)+" or less", "k = %d is more than the %s", o.K, count.Of(d, "feature"))
	}
	return nil
}
