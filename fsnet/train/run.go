package train

import (
	"context"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// Run advances to the end of the annealing, or until the stop key ends it. Where the context is cancelled it returns an error of kind
// Interrupted and the training stays as it is, to be looked at or run on. report may be nil.
func (t *Training) Run(ctx context.Context, report func(session.Status)) error {
	for {
		made, err := t.Advance(ctx, t.Steps())
		if err != nil {
			return err
		}
		if report != nil && made > 0 {
			report(t.Status())
		}
		if ctx.Err() != nil {
			return fault.New(fault.Interrupted, "", "interrupted at step %d of %d (epoch %.4g, τ = %.3g)", t.step, t.Steps(), t.epoch(), t.tau())
		}
		if made == 0 || t.Stopped() != "" {
			return nil
		}
	}
}
