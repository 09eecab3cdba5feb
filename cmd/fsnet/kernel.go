package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/runs"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/system"
	"fsnetlab/kernel"
)

// newKernelCommand returns fsnet kernel, the Jupyter kernel. Jupyter starts it.
func newKernelCommand() *cobra.Command {
	var file string
	var noGo bool
	c := &cobra.Command{
		Use:   "kernel --connection-file FILE",
		Short: "Run the Jupyter kernel (Jupyter starts it)",
		Args:  noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return errs.New(errs.Request, "choose FsNet (Go) in JupyterLab, or run jupyter console --kernel fsnet",
					"no connection file: Jupyter starts the kernel and writes one")
			}
			return runKernel(c.Context(), kernel.Options{
				ConnectionFile: file, Version: system.Version(), History: historyFile(), NoGo: noGo, Programs: programs(),
			})
		},
	}
	c.Flags().StringVar(&file, "connection-file", "", "Jupyter's connection `FILE`")
	c.Flags().BoolVar(&noGo, "no-go", false, "run %fsnet lines only, no Go cells")
	return c
}

// historyVariable is an environment variable. It names the file that keeps the
// cells a user ran, or is off.
const historyVariable = "FSNET_HISTORY"

// historyFile returns the file where a user's kernels keep the cells they ran.
// It returns "" if FSNET_HISTORY is off or the user has no home.
func historyFile() string {
	switch file := os.Getenv(historyVariable); {
	case filepath.IsAbs(file):
		return file
	case file == "off":
		return ""
	}
	if state := runs.StateHome(); state != "" {
		return filepath.Join(state, "fsnet", "cell_history.jsonl")
	}
	return ""
}

// runKernel runs a kernel until its front end shuts it down or a SIGTERM or
// SIGHUP arrives. SIGINT interrupts the running cells.
func runKernel(ctx context.Context, o kernel.Options) error {
	k, err := kernel.New(o)
	if err != nil {
		return err
	}
	// Ctrl-C in a terminal reaches every process there. A kernel handles it
	// like an interrupt_request.

	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	go func() {
		for range interrupts {
			k.Interrupt()
		}
	}()

	return k.Run(ctx)
}

// newKernelspecCommand returns fsnet kernelspec. It registers the kernel with
// Jupyter. install.sh calls it.
func newKernelspecCommand() *cobra.Command {
	var dir, command string
	c := &cobra.Command{
		Use:   "kernelspec",
		Short: "Register this program's kernel with Jupyter",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if dir == "" {
				if dir, err = kernel.UserSpecDirectory(); err != nil {
					return err
				}
			}

			if command == "" {
				if command, err = os.Executable(); err != nil {
					return errs.Wrap(err, errs.Failed, "give it with --command", "the path of this program is not known")
				}
			}

			env := map[string]string{}
			if home := os.Getenv("FSNET_HOME"); home != "" {
				env["FSNET_HOME"] = home // Jupyter starts the kernel, and its environment may lack it
			}

			if err := kernel.InstallSpec(dir, command, env); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), kernel.DescribeSpec(dir))
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "`DIRECTORY` of the kernelspec [the one in the user's Jupyter]")
	c.Flags().StringVar(&command, "command", "", "`PATH` of the program to start [this one]")
	return c
}

// newHostCommand returns fsnet host, the hidden command that trains for a
// kernel. A kernel starts it.
func newHostCommand() *cobra.Command {
	var options host.RunOptions
	command := &cobra.Command{
		Use:   "host --socket PATH --parent PID",
		Short: "Hold live sessions behind a private socket (started by the kernel)",
		Long: "Hold live sessions behind a private socket, and end with the process PID.\n\n" +
			"A kernel starts it. Prints \"ready PATH\" once clients can connect.",
		Hidden: true,
		Args:   noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if options.Socket == "" {
				return errs.New(errs.Request, "give --socket PATH, in a directory that is yours alone", "no socket is named")
			}
			if options.Parent == 0 {
				return errs.New(errs.Request, "give --parent PID; in a shell, --parent $$", "no parent process is named: the host ends with it")
			}
			opener := new(train.Opener)
			options.Open, options.Resume = opener.Open, opener.Resume
			options.Ready = c.OutOrStdout()
			return host.Run(c.Context(), options)
		},
	}
	command.Flags().StringVar(&options.Socket, "socket", "", "path of the Unix socket")
	command.Flags().IntVar(&options.Parent, "parent", 0, "process to end with")
	return command
}
