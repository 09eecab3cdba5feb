package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// planCommands returns the subcommands plan, run and merge of fsnet compare or
// fsnet replicas. With them you can compute a study in parts, on one machine or
// many.
func planCommands(of string) []*cobra.Command {
	return []*cobra.Command{newPlanCommand(of), newRunCommand(of), newMergeCommand(of)}
}

// unitWords returns the words for a cell in the help of a study.
func unitWords(of string) (cell, cells string) {
	if of == study.Replication {
		return "replica", "replicas"
	}
	return "cell", "cells"
}

type planOptions struct {
	compareWhat
	replicas int
	output   string
}

// newPlanCommand returns fsnet compare plan or fsnet replicas plan.
func newPlanCommand(of string) *cobra.Command {
	o := planOptions{compareWhat: newCompareWhat()}
	c := &cobra.Command{
		Use:   "plan DATA… -o plan.json",
		Short: "List every cell of a comparison, so that it can run in parts",
		Long: "List every cell of a comparison, so that it can run in parts.\n\n" +
			"A cell is a data set, a method, K and a split. Its id is a hash of everything that determines its row: the data, the\n" +
			"method and its settings, K, the seed, the versions of the algorithms and the kind of device (--backend, or what this\n" +
			"machine has). The options are those of fsnet compare. The plan also says how much memory a row takes at most.\n\n" +
			"Relative paths of data files start at this directory, which the plan remembers as seen from itself.",
		Example: "  fsnet compare plan ALLAML GLIOMA.mat --methods fsnet,mrmr,svm --k 10,50 -o plan.json",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return runPlan(c.Context(), of, o, args, c.OutOrStdout()) },
	}
	if of == study.Replication {
		c.Use, c.Short = "plan DATA --replicas R -o plan.json", "List every replica, so that they can be trained in parts"
		c.Long = "List every replica, so that they can be trained in parts.\n\n" +
			"A replica's id is a hash of everything that determines its result: the data, the settings, K, its seed, the version of\n" +
			"FsNet and the kind of device (--backend, or what this machine has). The options are those of fsnet fit. The plan also\n" +
			"says how much memory a training takes at most.\n\n" +
			"A relative path of the data starts at this directory, which the plan remembers as seen from itself."
		c.Example = "  fsnet replicas plan ALLAML --k 10 --seed 1 --replicas 100 -o plan.json"
		addKeys(c.Flags(), &o.config)
		c.Flags().Var(countFlag(&o.replicas, "replicas", study.MaxSplits), "replicas", "train `R` times, with the seeds seed … seed + R − 1")
	} else {
		o.register(c.Flags())
	}
	c.Flags().StringVarP(&o.output, "output", "o", "", "write the plan to a `FILE` [standard output]")
	return c
}

// runPlan plans a study and writes its listing to --output. Without that option
// it writes it to out. It opens the device only if --backend is auto, to learn
// its kind.
func runPlan(ctx context.Context, of string, o planOptions, names []string, out io.Writer) error {
	if of == study.Replication {
		const example = "as in: fsnet replicas plan ALLAML --replicas 100 -o plan.json"
		if err := needData(names, &o.config, example); err != nil {
			return err
		}
		if names = []string{o.config.Data}; o.replicas == 0 {
			return errs.New(errs.Request, example, "no --replicas: how often to train")
		}
	}

	file := output.File{Flag: "--output", Path: o.output, Verb: of + " plan", Own: output.IsJSON("format", "study", "cells")}
	if err := checkOutputs(inputs(o.config, names...), file); err != nil {
		return err
	}

	var plan *study.Plan
	var err error
	if of == study.Replication {
		var data []*dataset.Dataset
		if data, err = openAll(ctx, o.config, names, ""); err == nil {
			plan, err = study.Replicas(data[0], o.config, o.replicas)
		}
	} else {
		plan, err = o.plan(ctx, names)
	}
	if err != nil {
		return err
	}

	folder, err := folderFrom(o.output)
	if err != nil {
		return err
	}

	kind := plan.Settings.Backend
	if kind == "auto" {
		device, err := device.Open(ctx, kind)
		if err != nil {
			return err
		}
		kind = device.Name
		device.Close()
	}

	listing := plan.List(kind, names, folder)
	text, err := listing.JSON()
	if err != nil {
		return err
	}

	if o.output == "" {
		_, err := out.Write(text)
		return err
	}

	if err := file.Write(inputs(o.config, names...), text); err != nil {
		return err
	}

	cell, _ := unitWords(of)
	_, err = fmt.Fprintf(out, "%s: %s, on %s\n", o.output, phrase.Count(len(listing.Cells), cell), kind)
	return err
}

type runOptions struct {
	rowOptions
	part    string
	ids     []string
	workers int
}

// newRunCommand returns fsnet compare run or fsnet replicas run.
func newRunCommand(of string) *cobra.Command {
	var o runOptions
	_, cells := unitWords(of)
	c := &cobra.Command{
		Use:   "run plan.json -o rows.jsonl",
		Short: "Run some " + cells + " of a plan, or all",
		Long: "Run some " + cells + " of a plan, or all.\n\n" +
			"--part i/N runs the i-th of N parts, a stretch of consecutive " + cells + "; --cell ID runs those with these ids. Every row\n" +
			"is a line of JSON in the --output file as soon as it is done. Run the same command again to continue; the file keeps\n" +
			"its rows of other parts. Only one process at a time may write to a file, so give each part its own. A plan for other\n" +
			"data, another version of a method or another kind of device is refused, with a line that names the difference.",
		Example: "  fsnet " + of + " run plan.json --part 3/20 -o rows-3.jsonl",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runCells(c.Context(), of, o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&o.part, "part", "", "run part i of N, `i/N`")
	c.Flags().StringSliceVar(&o.ids, "cell", nil, "run the "+cells+" with these `ID`s, separated by commas")
	o.register(c.Flags())
	if of == study.Replication {
		addWorkers(c.Flags(), &o.workers)
	}
	return c
}

// runCells makes the chosen cells of a plan and keeps their rows in --output.
// The plan's file is the only argument. If a row failed, it returns an error,
// but keeps the other rows.
func runCells(ctx context.Context, of string, o runOptions, args []string, out, messages io.Writer) error {
	example := "as in: fsnet " + of + " run plan.json --part 3/20 -o rows-3.jsonl"

	switch {
	case len(args) != 1:
		return errs.New(errs.Request, example, "run takes one plan, not %s", phrase.Count(len(args), "argument"))
	case o.output == "":
		return errs.New(errs.Request, example, "no --output: where to keep the rows")
	case o.part != "" && o.ids != nil:
		return errs.New(errs.Request, "choose one of them", "both --part and --cell")
	}

	if err := cmp.Or(o.check(), checkOutputs(args, o.file())); err != nil {
		return err
	}

	text, err := os.ReadFile(args[0])
	if err != nil {
		return unreadableFile(err, args[0])
	}
	listing, err := study.ReadListing(text, of)
	if err != nil {
		return errs.At(err, "%s", args[0])
	}

	folder := filepath.FromSlash(listing.Folder)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(args[0]), folder)
	}

	options, err := listing.Config()
	if err != nil {
		return errs.At(err, "%s", args[0])
	}

	var names []string
	for _, source := range listing.Data {
		names = append(names, source.File)
	}
	data, err := openAll(ctx, options, names, folder)
	if err != nil {
		return err
	}

	plan, err := listing.Plan(data, folder)
	if err != nil {
		return errs.At(err, "%s", args[0])
	}

	if err := o.choose(plan, listing.Device); err != nil {
		return err
	}
	if of == study.Replication {
		oneThread()
	}

	device, err := device.Open(ctx, listing.Device)
	if err != nil {
		return err
	}
	defer device.Close()

	run := onDevice(device)
	if of == study.Replication {
		run = trainReplicas(device, study.ReplicaOptions{AtOnce: o.workers})
	}

	var looks looked
	made, err := o.makeRows(ctx, plan, listing.Device, looks.counting(run), messages, datasetWords)
	looks.print(messages, o.quiet)
	if err = cmp.Or(err, failedCells(made, "")); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", o.output, phrase.Count(len(made), "row"))
	return err
}

// choose narrows a plan to the part or the cells that the options name.
func (o runOptions) choose(plan *study.Plan, kind string) error {
	switch {
	case o.ids != nil:
		return plan.Choose(kind, o.ids)
	case o.part == "":
		return nil
	}
	first, second, _ := strings.Cut(o.part, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	if errI != nil || errN != nil {
		return errs.New(errs.Request, "write --part i/N, as in --part 3/20", "part = %.40s", o.part)
	}
	return plan.Part(i, n)
}

type mergeOptions struct {
	compareForm
	seconds, complete bool
}

// newMergeCommand returns fsnet compare merge or fsnet replicas merge.
func newMergeCommand(of string) *cobra.Command {
	var o mergeOptions
	cell, cells := unitWords(of)
	report := map[string]string{study.Comparison: "tables of fsnet compare", study.Replication: "report of fsnet fit --replicas"}[of]
	c := &cobra.Command{
		Use:   "merge plan.json FILE…",
		Short: "Put the rows of a plan together, and print the " + report,
		Long: "Put the rows of a plan together, and print the " + report + ".\n\n" +
			"Give the plan and the files of its " + cells + ", in any order; order and grouping do not change the result. The data are\n" +
			"not needed. Rows of another plan, version or kind of device, rows that disagree, and a file that ends in the middle\n" +
			"of a row are refused in one line. Missing rows are counted, on standard error and in tables.",
		Example: "  fsnet " + of + " merge plan.json rows-*.jsonl\n  fsnet " + of + " merge plan.json rows-*.jsonl --seconds=false --json > merged.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runMerge(of, o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	if of == study.Replication {
		addJSON(c.Flags(), &o.json)
	} else {
		o.register(c.Flags())
	}
	c.Flags().BoolVar(&o.seconds, "seconds", true, "print the seconds; --seconds=false leaves them out, and names of devices, so that the output "+
		"is the same to the byte, whoever made a "+cell)
	c.Flags().BoolVar(&o.complete, "complete", false, "refuse to merge while rows of the plan are missing")
	return c
}

// runMerge combines rows with their plan, which is among the files of paths,
// and prints the study's tables or report. Missing rows are an error with
// --complete, and a line on messages otherwise.
func runMerge(of string, o mergeOptions, paths []string, out, messages io.Writer) error {
	if err := cmp.Or(o.checkForm(), checkOutputs(paths, o.page())); err != nil {
		return err
	}

	plan, kind, files, err := readParts(of, paths)
	if err != nil {
		return err
	}

	merged, err := plan.Merge(kind, files)
	if err != nil {
		return err
	}

	for i := range merged {
		if !o.seconds {
			merged[i] = merged[i].Timeless()
		}
	}

	missing := plan.Missing(merged)
	if missing != "" && o.complete {
		return errs.New(errs.Failed, "make them: fsnet "+of+" run", "%s", missing)
	}
	if missing != "" {
		fmt.Fprintln(messages, missing)
	}

	if of == study.Comparison {
		return cmp.Or(o.print(out, plan, merged), failedCells(merged, ""))
	}
	if len(merged) == 0 {
		return errs.New(errs.Request, "train some: fsnet replicas run", "no replicas in %s", phrase.Count(len(files), "file"))
	}

	report := newReplicasReport(merged, 0, 0)
	switch {
	case report == nil:
		return merged[0].Err()
	case o.json:
		err = printJSON(out, report)
	default:
		err = report.print(out)
	}
	return cmp.Or(err, report.failure(plan.Splits))
}

// readParts reads one plan and files of its rows, in any order. kind is the
// plan's kind of device. It recognises a plan by its first line, a brace. The
// plan has no data, so you can use it only for merging.
func readParts(of string, paths []string) (plan *study.Plan, kind string, files []study.File, err error) {
	named := ""
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, "", nil, unreadableFile(err, path)
		}

		if first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n")); string(bytes.TrimSpace(first)) != "{" {
			rows, err := wholeRows(path, text)
			if err != nil {
				return nil, "", nil, err
			}
			files = append(files, study.File{Name: path, Rows: rows})
			continue
		}

		if named != "" {
			return nil, "", nil, errs.New(errs.Request, "name one plan and its rows", "got two plans, %s and %s", named, path)
		}
		named = path
		listing, err := study.ReadListing(text, of)
		if err == nil {
			kind = listing.Device
			plan, err = listing.Plan(nil, "")
		}
		if err != nil {
			return nil, "", nil, errs.At(err, "%s", path)
		}
	}

	if named == "" {
		return nil, "", nil, errs.New(errs.Request, "name the plan too, as in: fsnet "+of+" merge plan.json rows-*.jsonl", "no plan among %s",
			phrase.Count(len(paths), "file"))
	}
	return plan, kind, files, nil
}

// folderFrom returns the working directory relative to the directory of a
// plan's file, with slashes. It returns "." for a plan on standard output.
func folderFrom(output string) (string, error) {
	here, err := os.Getwd()
	if err == nil {
		output, err = filepath.Abs(output)
	}
	if err != nil {
		return "", errs.Wrap(err, errs.Failed, "change to a directory that exists", "the working directory is not found")
	}
	if output == here {
		return ".", nil
	}
	folder, err := filepath.Rel(filepath.Dir(output), here)
	if err != nil {
		return here, nil //nolint:nilerr // on another volume only the absolute path works
	}
	return filepath.ToSlash(folder), nil
}

// unreadableFile wraps the error of a file that can't be read.
func unreadableFile(err error, path string) error {
	return errs.Wrap(system.Reason(err), errs.NotFound, "name another file", "%s cannot be read", path)
}

// openAll reads data sets in the order of their names, and stops at the first
// error. Relative names start at the directory. "" means the current one.
func openAll(ctx context.Context, options config.Config, names []string, directory string) ([]*dataset.Dataset, error) {
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	var data []*dataset.Dataset
	for _, name := range names {
		settings.Data = name
		d, err := dataset.Open(ctx, settings, directory)
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	return data, nil
}

// addWorkers adds the option --workers.
func addWorkers(flags *pflag.FlagSet, workers *int) {
	flags.Var(countFlag(workers, "workers", maxWorkers), "workers", "train `N` replicas side by side [one per core; on a GPU up to 32 in one program]")
}
