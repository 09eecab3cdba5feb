package laboratory

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

// Options for Start. Zero values: see each.
type Options struct {
	Command     []string  // runs a kernel, before --connection-file FILE; nil is this program's kernel verb
	Environment []string  // NAME=VALUE, besides this process's own
	Directory   string    // where the kernel works; "" is where this process does
	Files       string    // required: the directory for its connection file
	Log         io.Writer // what it writes to stderr; nil is nowhere
}

// Kernel is a kernel in a process of its own, and a front end that talks to it.
type Kernel struct {
	Front      *wire.Front
	Connection wire.Connection
	File       string        // the connection file
	Took       time.Duration // from its start to its first answer

	command *exec.Cmd
	ended   chan struct{} // closed when it has been waited for
}

const (
	startLimit = 30 * time.Second // for the first answer
	stopLimit  = 10 * time.Second // for the end of a kernel that was told to end
	again      = "run fsnet doctor"
)

// Start starts a kernel as Jupyter does and waits for its first answer. It is told to end with the context; the caller stops it in any
// case.
func Start(ctx context.Context, o Options) (*Kernel, error) {
	command := o.Command
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, fault.Wrap(err, fault.Failed, again, "the path of this program is not known")
		}
		command = []string{self, "kernel"}
	}
	connection, err := wire.NewConnection()
	if err != nil {
		return nil, err
	}
	k := &Kernel{Connection: connection, File: filepath.Join(o.Files, "kernel-laboratory.json"), ended: make(chan struct{})}
	if err := connection.Write(k.File); err != nil {
		return nil, err
	}
	k.command = exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], "--connection-file", k.File)...)
	k.command.Dir, k.command.Env, k.command.Stderr = o.Directory, append(os.Environ(), o.Environment...), o.Log
	k.command.Cancel = func() error { return k.command.Process.Signal(syscall.SIGTERM) } // it ends its children, too
	k.command.WaitDelay = stopLimit
	began := time.Now()
	if err := k.command.Start(); err != nil {
		return nil, fault.Wrap(err, fault.Failed, again, "the kernel does not start")
	}
	go func() {
		defer close(k.ended)
		k.command.Wait() //nolint:errcheck // it may be killed
	}()
	if err := k.Meet(ctx); err != nil {
		k.Kill()
		return nil, err
	}
	k.Took = time.Since(began)
	return k, nil
}

// Meet connects another front end, as a page does that was loaded again. The one before is the caller's to close.
func (k *Kernel) Meet(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	front, err := wire.Meet(limited, k.Connection)
	if ctx.Err() != nil {
		return interrupted()
	}
	if err != nil {
		return fault.New(fault.Unavailable, again, "the kernel did not answer within %s", startLimit)
	}
	k.Front = front
	return nil
}

// ID is the kernel's process.
func (k *Kernel) ID() int { return k.command.Process.Pid }

// Ended is closed when the kernel has ended.
func (k *Kernel) Ended() <-chan struct{} { return k.ended }

// Stop asks the kernel to shut down, as a front end does, and waits; one that does not end is killed.
func (k *Kernel) Stop() {
	if _, err := k.Front.StartControl("shutdown_request", wire.Shutdown{}); err != nil {
		k.Kill()
	}
	select {
	case <-k.ended:
	case <-time.After(stopLimit):
		k.Kill()
	}
	k.Front.Close()
}

// Kill ends the kernel with SIGKILL and waits for its end.
func (k *Kernel) Kill() {
	k.command.Process.Kill() //nolint:errcheck // it has ended
	<-k.ended
}

func interrupted() error { return fault.New(fault.Interrupted, "", "the measurement was interrupted") }
