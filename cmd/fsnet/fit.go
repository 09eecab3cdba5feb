package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/whole"
)

type fitOptions struct {
	config config.Config
	json   bool
	output string
	save   string
	quiet  bool
}

func newFitCommand() *cobra.Command {
	var o fitOptions
	c := &cobra.Command{
		Use:   "fit [DATA]",
		Short: "Train FsNet and print the K features it chose",
		Long: "Train FsNet and print the K features it chose, with the accuracy of its network on the test rows.\n\n" +
			"DATA is a .mat, .csv or .tsv file, or a built-in data set (fsnet data lists them).\n\n" +
			"--save keeps the model: the chosen features with their scaling, the network that reads them, and the settings, in one\n" +
			"safetensors file. It holds no rows of the data; fsnet.LoadModel reads it in a Go program, and other programs read its tensors.",
		Example: "  fsnet fit ALLAML --k 10 --seed 1\n  fsnet fit expression.csv --label diagnosis --json > genes.json\n  fsnet fit ALLAML --save leukemia.safetensors",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runFit(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object and nothing else to standard output")
	c.Flags().StringVarP(&o.output, "output", "o", "", "also write that JSON object to a `FILE`")
	c.Flags().StringVar(&o.save, "save", "", "write the trained model to a `FILE`, which is replaced if it is there")
	c.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	return c
}

func runFit(ctx context.Context, o fitOptions, args []string, out, messages io.Writer) error {
	switch {
	case len(args) > 1:
		return fault.New(fault.Request, "give one data set; options begin with --", "unexpected argument %q", args[1])
	case len(args) == 1 && o.config.Data != "":
		return fault.New(fault.Request, "give one of them", "both an argument (%s) and --data (%s)", args[0], o.config.Data)
	case len(args) == 1:
		o.config.Data = args[0]
	case o.config.Data == "":
		return fault.New(fault.Request, "name a file or a built-in one, as in: fsnet fit ALLAML", "no data set")
	}
	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}
	if err := o.writable(settings.Data); err != nil { // found out now rather than after the training
		return err
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return err
	}
	device, err := fsnet.OpenDevice(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	t, err := fsnet.Open(ctx, device, data, settings)
	if err != nil {
		return err
	}
	defer t.Close()

	bar := newProgressBar(messages, o.quiet)
	runErr := t.Run(ctx, bar.show)
	bar.end()
	if runErr != nil && !fault.Is(runErr, fault.Interrupted) {
		return runErr
	}
	report, err := newFitReport(t, data.Source)
	if err != nil {
		return errors.Join(runErr, err)
	}
	if runErr != nil { // what was learnt so far is kept where the user can see it, not where a program expects a finished result
		report.print(messages)
		return runErr
	}
	if o.save != "" {
		model, err := t.Model()
		if err != nil {
			return err
		}
		if err := model.Save(o.save); err != nil {
			return err
		}
	}
	if o.output != "" {
		if err := whole.Write(o.output, report.json()); err != nil {
			return err
		}
	}
	if o.json {
		_, err = out.Write(report.json())
		return err
	}
	return report.print(out)
}
