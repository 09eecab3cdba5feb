package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/repl"
)

// newREPLCommand returns fsnet repl. It runs the notebook's verbs in a
// terminal.
func newREPLCommand() *cobra.Command {
	var commands []string
	c := &cobra.Command{
		Use:   "repl [FILE]",
		Short: "Steer trainings in this terminal, with the verbs of the notebook",
		Long: "Steer trainings in this terminal, with the verbs of the notebook.\n\n" +
			"Without FILE it prompts for lines. A FILE, -c LINE, or standard input that is not a terminal runs as a script, up to\n" +
			"the first error. You may leave out the %fsnet before a verb; help lists the verbs.",
		Example: "  fsnet repl\n  fsnet repl -c \"open leukemia data=ALLAML k=10\" -c run -c \"curves > curves.png\"",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o := repl.Options{Version: system.Version(), Commands: commands, In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
				Programs: programs()}
			switch {
			case len(args) > 1:
				return errs.New(errs.Request, "join them with cat, and give - for standard input", "%d files", len(args))
			case len(args) == 1 && len(commands) > 0:
				return errs.New(errs.Request, "give one of them", "both a file and -c")
			case len(args) == 1 && args[0] == "-":
				o.Script = os.Stdin
			case len(args) == 1:
				f, err := os.Open(args[0])
				if err != nil {
					return errs.Wrap(system.Reason(err), errs.Request, "give a file with one verb per line", "the script %s cannot be read", args[0])
				}
				defer f.Close()
				o.Script = io.Reader(f)
			}
			return repl.Run(c.Context(), o)
		},
	}
	c.Flags().StringArrayVarP(&commands, "command", "c", nil, "run this `LINE` instead of prompting; may be repeated")
	return c
}
