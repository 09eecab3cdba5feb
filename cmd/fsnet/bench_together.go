package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/train"
)

// measureTogether times the steps of all replicas in one program, as fit --replicas --together makes them: with their looks at P, but
// without the first call, which compiles, and the one after it.
func (b *bench) measureTogether(ctx context.Context, messages io.Writer) error {
	data, err := b.options.data(ctx, b.settings)
	if err != nil {
		return err
	}
	settings := b.settings
	settings.Stop = "never"
	if n := engine.LargestVectorized(ctx, b.device.Name, data, settings, b.options.replicas); n < b.options.replicas {
		return fault.New(fault.Request, fmt.Sprintf("choose %d or fewer", n), "--replicas %d have no room together on %s", b.options.replicas, b.device.Name)
	}
	fmt.Fprintf(messages, "%d replicas together\n", b.options.replicas)
	var members []*train.Training
	defer func() {
		for _, t := range members {
			t.Close()
		}
	}()
	for r := range b.options.replicas {
		one := settings
		one.Seed += int64(r)
		t, err := train.Open(ctx, b.device, data, one)
		if err != nil {
			return err
		}
		members = append(members, t)
	}
	group, err := train.Vectorize(members)
	if err != nil {
		return err
	}
	defer group.Close()
	var took []float64 // milliseconds a step
	for call, made := 0, 0; made < b.options.steps && group.Running() > 0; call++ {
		before, began := members[0].Status().Step, time.Now()
		if _, err := group.Advance(ctx); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fault.Wrap(err, fault.Interrupted, "", "while the replicas were measured")
		}
		n := members[0].Status().Step - before
		if call > 1 && n > 0 {
			took = append(took, time.Since(began).Seconds()*1000/float64(n))
			made += n
		}
	}
	if len(took) == 0 {
		return fault.New(fault.Request, "choose more epochs", "epochs = %d are over before anything can be measured", settings.Epochs)
	}
	ms := medianOf(took)
	b.report.Replicas, b.report.Workers, b.report.Together = b.options.replicas, 1, true
	b.report.TogetherMs = ms
	rate := 1000 * float64(b.options.replicas) / ms
	b.report.ReplicaGain = rate / b.report.ReplicaStepsPerS
	b.report.ReplicaStepsPerS = rate
	return nil
}
