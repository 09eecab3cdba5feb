package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/wire"
)

// benchedKernel is a kernel of this program that is measured, and its front end.
type benchedKernel struct {
	*exec.Cmd
	front *wire.Front
	took  time.Duration // from its start to its first answer
}

// startKernel starts this program as a kernel, with its connection file in a directory of its own, and connects to it.
func startKernel(ctx context.Context, dir string, messages io.Writer) (*benchedKernel, error) {
	const remedy = "run fsnet doctor"
	self, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, remedy, "the path of this program is not known")
	}
	connection, err := wire.NewConnection()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "kernel-bench.json")
	if err := connection.Write(file); err != nil {
		return nil, err
	}
	// What cells import is found from the directory where the measurement was asked for; what they write is not left there.
	cmd := exec.CommandContext(ctx, self, "kernel", "--connection-file", file)
	cmd.Stderr = messages
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends its children, too
	cmd.WaitDelay = 5 * time.Second
	k := &benchedKernel{Cmd: cmd}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fault.Wrap(err, fault.Failed, remedy, "the kernel does not start")
	}
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if k.front, err = wire.Meet(limited, connection); err != nil {
		k.kill()
		return nil, fault.New(fault.Unavailable, remedy, "the kernel did not answer")
	}
	k.took = time.Since(began)
	return k, nil
}

func (k *benchedKernel) kill() {
	k.Process.Kill() //nolint:errcheck // it has ended
	k.Wait()         //nolint:errcheck // killed
}

func (k *benchedKernel) stop() {
	if _, err := k.front.StartControl("shutdown_request", wire.Shutdown{}); err != nil {
		k.kill()
	}
	k.Wait() //nolint:errcheck // it was told to end
	k.front.Close()
}

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
