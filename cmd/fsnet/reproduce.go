package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/lock"
	"fsnetlab/internal/suggest"
)

// reproduceTargets are what can be asked for.
func reproduceTargets() []string { return []string{"table1", "table2", "table3", "figures", "all"} }

type reproduceOptions struct {
	target  string
	data    []string
	methods string
	k       []int
	splits  int
	seed    int64
	backend string
	dir     string
	quiet   bool
	lines   string
}

// newReproduceCommand is the command.
func newReproduceCommand() *cobra.Command {
	o := reproduceOptions{splits: 20, seed: 101, backend: "auto"}
	c := &cobra.Command{
		Use:   "reproduce table1|table2|table3|figures|all -o DIR",
		Short: "Measure what FsNet's paper reports, and show both side by side",
		Long: "Measure what FsNet's paper reports, and show both side by side.\n\n" +
			"table1: accuracies of all methods with 10 and 50 features; table2: sizes of the models; table3: accuracies on the\n" +
			"metagenome; figures: accuracies and reconstruction error over the epochs, mutual information between the selected\n" +
			"features; all: everything.\n\n" +
			"The data sets are those that fsnet data list finds and fsnet data get fetches; --data NAME=FILE names another file, or\n" +
			"that of the metagenome (table3). The tables name the data sets that are missing.\n\n" +
			"It writes rows.jsonl (metagenome.jsonl for table3), the curves, reproduction.md and reproduction.html into the --output\n" +
			"folder. Run the same command again to continue where it stopped, also with more splits, methods or data; figures that\n" +
			"are there do not change. Splits are random halves, as in the paper, with the seeds --seed … --seed + S − 1.",
		Example: "  fsnet reproduce table1 -o paper\n" +
			"  fsnet reproduce all --splits 5 --data ALLAML,GLIOMA=~/GLIOMA.mat --methods fsnet:protocol=paper,cae-supervised,mrmr -o paper",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.New(fault.Request, "name one of "+strings.Join(reproduceTargets(), ", "), "nothing to reproduce is named")
			}
			if len(args) != 1 || !slices.Contains(reproduceTargets(), args[0]) {
				given := strings.Join(args, " ")
				remedy := suggest.DidYouMean(given, reproduceTargets())
				return fault.New(fault.Request, remedy, "%q cannot be reproduced", given)
			}
			o.target = args[0]
			return runReproduce(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.data, "data", nil, "data sets of the paper, separated by commas: `NAME` or NAME=FILE [all]")
	f.StringVar(&o.methods, "methods", "", "methods, as fsnet compare takes them: `NAMES` [the paper's, and FsNet by every protocol]")
	f.Var(countsFlag(&o.k, "k"), "k", "features to select [as in the table: 10,50, and 50,100 of the metagenome]")
	f.Var(countFlag(&o.splits, "splits", study.MaxSplits), "splits", "measure on `S` splits")
	f.Int64Var(&o.seed, "seed", o.seed, "`SEED` of the first split")
	f.StringVar(&o.backend, "backend", o.backend, "kind of device: auto, xla:cpu, xla:cuda or go")
	f.StringVarP(&o.dir, "output", "o", "", "`FOLDER` for rows and report")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress bar")
	f.StringVar(&o.lines, "progress", "", "report progress on standard error as `json`, as fsnet compare does")
	return c
}

// wants is whether a part of the paper is asked for.
func (o reproduceOptions) wants(target string) bool { return o.target == target || o.target == "all" }

func runReproduce(ctx context.Context, o reproduceOptions, out, messages io.Writer) error {
	if err := (rowOptions{lines: o.lines}).check(); err != nil {
		return err
	}
	if o.dir == "" {
		return fault.New(fault.Request, "name a folder, as in: fsnet reproduce "+o.target+" -o paper",
			"no --output: where to keep rows and report")
	}
	settings := config.Config{Seed: o.seed}
	for key, value := range map[string]string{"split": "random", "backend": o.backend} {
		if err := settings.Set(key, value); err != nil {
			return err
		}
	}
	studies, err := o.studies(ctx, settings)
	if err != nil {
		return err
	}
	held, err := o.take()
	if err != nil {
		return err
	}
	defer func() {
		held.Remove()  //nolint:errcheck // then it stays, locked by nobody
		held.Release() //nolint:errcheck // the process ends
	}()
	on, err := device.Open(ctx, o.backend)
	if err != nil {
		return err
	}
	defer on.Close()
	var runErr error
	for _, s := range studies {
		if runErr = s.make(ctx, o, on, messages); runErr != nil {
			break
		}
	}
	if runErr != nil && !slices.ContainsFunc(studies, func(s *paperStudy) bool { return len(s.rows) > 0 }) {
		return runErr
	}
	if err := o.write(studies, on.Name, out); err != nil {
		return err
	}
	if runErr == nil {
		runErr = failedStudies(studies)
	}
	return runErr
}

// take makes the folder and keeps it to one process.
func (o reproduceOptions) take() (*lock.Lock, error) {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return nil, fault.Wrap(atomicfile.Reason(err), fault.Request, "name a folder that you may write to", "the folder %s cannot be made",
			o.dir)
	}
	if err := checkOutput(filepath.Join(o.dir, "reproduction.md")); err != nil {
		return nil, err
	}
	l, err := lock.Take(filepath.Join(o.dir, ".lock"), 0o666)
	var held *lock.Held
	switch {
	case errors.As(err, &held):
		return nil, fault.New(fault.Busy, "wait until it is done, or name another folder", "the folder %s is in use by %s", o.dir,
			held.Holder)
	case err != nil:
		return nil, fault.Wrap(atomicfile.Reason(err), fault.Request, "name a folder that you may write to", "the folder %s cannot be locked",
			o.dir)
	}
	return l, nil
}

// failedStudies is the error of rows that have one.
func failedStudies(studies []*paperStudy) error {
	for _, s := range studies {
		if err := failedCells(s.rows, "the same command makes them again"); err != nil {
			return err
		}
	}
	return nil
}

// command is what makes the report again.
func (o reproduceOptions) command() string {
	line := "fsnet reproduce " + o.target
	add := func(name, value string) {
		if value != "" {
			line += " --" + name + " " + value
		}
	}
	add("data", strings.Join(o.data, ","))
	add("methods", o.methods)
	add("k", strings.ReplaceAll(strings.Trim(fmt.Sprint(o.k), "[]"), " ", ","))
	add("splits", fmt.Sprint(o.splits))
	add("seed", fmt.Sprint(o.seed))
	if o.backend != "auto" {
		add("backend", o.backend)
	}
	return line + " -o FOLDER"
}
