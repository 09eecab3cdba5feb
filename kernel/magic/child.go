package magic

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"syscall"

	"fsnetlab/kernel/internal/process"
)

// child runs a command of a program in a process of its own, since a device can take its process down with it. follow reads what it says to
// standard error, until it has ended; what it printed is returned, and how it ended. A context that ends interrupts it: it then prints what
// is done.
func (i *Interpreter) child(ctx context.Context, program string, args []string, follow func(messages io.Reader)) (
	printed []byte, ended, err error) {
	cmd := exec.Command(program, args...) //nolint:gosec // it is this program, and the words are no shell's
	cmd.Dir = i.options.Directory
	var out bytes.Buffer
	cmd.Stdout = &out
	messages, writer := io.Pipe() // exec's own pipe is closed when the command ends, read or not
	cmd.Stderr = writer
	p, err := process.Start(cmd)
	if err != nil {
		return nil, nil, err
	}
	go func() {
		select {
		case <-ctx.Done():
			p.Signal(syscall.SIGINT)
		case <-p.Done():
		}
		<-p.Done()
		writer.Close()
	}()
	follow(messages)
	return out.Bytes(), p.Err(), nil
}
