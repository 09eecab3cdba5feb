package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// measureReplicas runs as many processes at once as fit --replicas would, each with this same measurement and an XLA of one thread, and
// adds up their rates.
func (b *bench) measureReplicas(ctx context.Context, messages io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fault.Wrap(err, fault.Failed, "run fsnet doctor", "the path of this program is not known")
	}
	workers := min(b.options.Replicas, runtime.GOMAXPROCS(0))
	fmt.Fprintf(messages, "%s, %s at a time\n", count.Of(b.options.Replicas, "replica"), count.Of(workers, "process"))
	rates, errs := make([]float64, workers), make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() { rates[i], errs[i] = b.worker(ctx, self, i) })
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return fault.Wrap(err, fault.Interrupted, "", "while the replicas were measured")
	}
	sum := 0.0
	for i, rate := range rates {
		if errs[i] != nil {
			return errs[i]
		}
		sum += rate
	}
	b.report.Replicas, b.report.Workers = b.options.Replicas, workers
	b.report.ReplicaGain = sum / b.report.ReplicaStepsPerS
	b.report.ReplicaStepsPerS = sum
	return nil
}

// worker is the steps a second of one process.
func (b *bench) worker(ctx context.Context, self string, i int) (float64, error) {
	c := b.options.Config
	args := []string{"bench", "--json", "--no-ratio", "--steps", strconv.Itoa(b.options.Steps), "--seed",
		strconv.FormatInt(b.settings.Seed+int64(i), 10)}
	if b.options.D > 0 {
		args = append(args, "--d", strconv.Itoa(b.options.D))
	}
	for _, key := range config.Keys() {
		text := c.Text(key.Name)
		if text == "" || key.Name == "seed" || key.Name == "data" && b.options.D > 0 {
			continue
		}
		args = append(args, "--"+strings.ReplaceAll(key.Name, "_", "-")+"="+text)
	}
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdout, cmd.Stderr = &out, &messages
	cmd.Env = append(os.Environ(), device.OneThread)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(messages.String()), "\n")
		return 0, fault.New(fault.Failed, "run fsnet bench without --replicas", "process %d ended: %s", i+1, lines[len(lines)-1])
	}
	var r benchReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.MsPerStep <= 0 {
		return 0, fault.New(fault.Failed, "run fsnet bench without --replicas", "process %d printed no measurement", i+1)
	}
	return 1000 / r.MsPerStep, nil
}
