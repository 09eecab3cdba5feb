package main

import (
	"context"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/wire"
)

// runCell runs a cell that must not fail.
func runCell(ctx context.Context, front *wire.Front, code string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	answer, err := front.Execute(ctx, code)
	if err != nil {
		return fault.Wrap(err, fault.Failed, "run fsnet doctor", "the kernel does not answer")
	}
	var reply wire.ErrorReply
	if err := answer.Reply.Decode(&reply); err != nil {
		return err
	}
	if reply.Status != "ok" {
		return fault.New(fault.Failed, "", "%s", reply.Value)
	}
	return nil
}

func median(ctx context.Context, front *wire.Front, n int, code func(int) string) (float64, error) {
	i := -1
	return medianOfCalls(n, func() error {
		i++
		return runCell(ctx, front, code(i))
	})
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
