package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/runs"
	"fsnetlab/internal/installation"
	"fsnetlab/kernel"
)

// newKernelCommand is the Jupyter kernel. Jupyter starts it.
func newKernelCommand() *cobra.Command {
	var file string
	var noGo bool
	c := &cobra.Command{
		Use:   "kernel --connection-file FILE",
		Short: "Run the Jupyter kernel (Jupyter starts it)",
		Args:  noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return fault.New(fault.Request, "choose FsNet (Go) in JupyterLab, or run jupyter console --kernel fsnet",
					"no connection file: Jupyter starts the kernel and writes one")
			}
			return runKernel(c.Context(), kernel.Options{
				ConnectionFile: file, Version: installation.Version(), History: historyFile(), NoGo: noGo, Programs: programs(),
			})
		},
	}
	c.Flags().StringVar(&file, "connection-file", "", "Jupyter's connection `FILE`")
	c.Flags().BoolVar(&noGo, "no-go", false, "run %fsnet lines only, no Go cells")
	return c
}

// historyVariable names another file for the cells that were run, or says off.
const historyVariable = "FSNET_HISTORY"

// historyFile is where a user's kernels keep the cells that were run; "" where nothing is to be kept, or there is no home.
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

func runKernel(ctx context.Context, o kernel.Options) error {
	k, err := kernel.New(o)
	if err != nil {
		return err
	}
	// A terminal sends its Ctrl-C to every process in it: for a kernel it means what an interrupt_request does.
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
