package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/fault"
)

func newReportCommand() *cobra.Command {
	var o reportOptions
	var quiet bool
	c := &cobra.Command{
		Use:   "report SESSION|MODEL…",
		Short: "Write an HTML page about sessions or fits: genes, curves, figures, and the lines that repeat them",
		Long: "Write an HTML page about sessions or fits: genes, curves, figures, and the lines that repeat them.\n\n" +
			"SESSION is a run that a notebook left in .fsnet/runs (fsnet runs list), MODEL a file that fsnet fit --save wrote; a\n" +
			"model holds no curves, so fsnet repeats its fit. The page needs no network and no other file. Unless --test=false, the\n" +
			"report evaluates on the test rows, which counts as a look at them.",
		Example: "  fsnet report leukemia\n  fsnet report leukemia.safetensors --output genes.html\n" +
			"  fsnet stability ALLAML --json > stability.json\n  fsnet report leukemia --stability stability.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.New(fault.Request, "as in: fsnet report leukemia", "no session and no model is named")
			}
			bar := newBar(c.ErrOrStderr(), quiet)
			o.Progress = bar.Show
			file, err := writeReport(c.Context(), args, o)
			bar.End()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), file)
			return err
		},
	}
	c.Flags().StringVar(&o.Directory, "directory", ".", "the notebook's `DIRECTORY`, where its sessions are")
	c.Flags().StringVarP(&o.Output, "output", "o", "", "the page's `FILE` [NAME-report.html]")
	c.Flags().StringVar(&o.Stability, "stability", "", "also show what fsnet stability --json wrote to a `FILE`")
	c.Flags().StringVar(&o.Symbols, "symbols", "", symbolsUsage)
	c.Flags().BoolVar(&o.Test, "test", true, "evaluate on the test rows, a look at them that is counted; --test=false leaves them out")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress bar")
	return c
}
