package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// kernelProcess is a kernel in a process of its own, and a front end that talks to it.
type kernelProcess struct {
	front      *fronttest.Front
	connection jupyter.Connection
	file       string        // the connection file
	took       time.Duration // from its start to its first answer

	command *exec.Cmd
	ended   chan struct{} // closed when it has been waited for
}

const (
	startLimit = 30 * time.Second // for the first answer
	stopLimit  = 10 * time.Second // for the end of a kernel that was told to end
)

// startKernel starts a kernel as Jupyter does and waits for its first answer. The command lacks only its last word, the connection file,
// which is written below directory. Where the command has a context, the kernel is told to end with it; the caller stops it in any case.
func startKernel(ctx context.Context, command *exec.Cmd, directory string) (*kernelProcess, error) {
	connection, err := jupyter.NewConnection()
	if err != nil {
		return nil, err
	}
	name := filepath.Base(command.Path)
	k := &kernelProcess{connection: connection, file: filepath.Join(directory, "kernel-"+name+".json"), command: command,
		ended: make(chan struct{})}
	if err := connection.Write(k.file); err != nil {
		return nil, err
	}
	command.Args = append(command.Args, k.file)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // it ends its children, too
	command.WaitDelay = stopLimit
	began := time.Now()
	if err := command.Start(); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "run fsnet doctor", "%s does not start", name)
	}
	go func() {
		defer close(k.ended)
		command.Wait() //nolint:errcheck // it may be killed
	}()
	if err := k.meet(ctx); err != nil {
		k.kill()
		return nil, err
	}
	k.took = time.Since(began)
	return k, nil
}

// meet connects another front end, as a page does that was loaded again. The one before is the caller's to close.
func (k *kernelProcess) meet(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	front, err := fronttest.Meet(limited, k.connection)
	if ctx.Err() != nil {
		return interrupted()
	}
	if err != nil {
		return fault.New(fault.Unavailable, "run fsnet doctor", "%s did not answer within %s", filepath.Base(k.command.Path), startLimit)
	}
	k.front = front
	return nil
}

// stop asks the kernel to shut down, as a front end does, and waits; one that does not end is killed.
func (k *kernelProcess) stop() {
	if _, err := k.front.StartControl("shutdown_request", jupyter.Shutdown{}); err != nil {
		k.kill()
	}
	select {
	case <-k.ended:
	case <-time.After(stopLimit):
		k.kill()
	}
	k.front.Close()
}

// kill ends the kernel with SIGKILL and waits for its end.
func (k *kernelProcess) kill() {
	k.command.Process.Kill() //nolint:errcheck // it has ended
	<-k.ended
}

func interrupted() error { return fault.New(fault.Interrupted, "", "the measurement was interrupted") }
