package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

type fitOptions struct {
	progressFlags
	config   config.Config
	replicas int // 0 if not given
	workers  int // 0 if not given
	json     bool
	output   string
	save     string
	symbols  string // a file
	picture  string
	flags    *pflag.FlagSet // of the command, as messages write options
}

// newFitCommand returns fsnet fit.
func newFitCommand() *cobra.Command {
	var o fitOptions
	c := &cobra.Command{
		Use:   "fit [DATA]",
		Short: "Train FsNet and print the K features it chose",
		Long: "Train FsNet and print the K features it chose, with the accuracy of its network on the test rows.\n\n" +
			"DATA is a file (a text table, Excel, Parquet, .h5ad, 10x, MATLAB, …: see docs/data.md) or a built-in data set (fsnet\n" +
			"data lists them).\n\n" +
			"--save keeps the model in one safetensors file: the chosen features with their scaling, the network that reads them,\n" +
			"and the settings. It holds no rows of the data. A Go program reads it with fsnet.Load; other programs can read its\n" +
			"tensors.\n\n" +
			"--replicas R trains R times, with the seeds from --seed on and therefore R splits, and prints how often each feature\n" +
			"was chosen, how the accuracy varies and how stable the choice is. On a CPU each core trains one replica at a time; on\n" +
			"a GPU one trains after the other. Each replica is bit for bit what fsnet fit --seed gives there. --save\n" +
			"NAME.safetensors then writes NAME-seed1.safetensors and so on.\n\n" +
			"--picture FILE draws how often the replicas chose each feature.",
		Example: "  fsnet fit ALLAML --k 10 --seed 1\n  fsnet fit expression.csv --label diagnosis --json > genes.json\n" +
			"  fsnet fit ALLAML --save leukemia.safetensors\n  fsnet fit ALLAML --replicas 20 --picture genes.svg",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			settings, err := o.settings(args)
			if err != nil {
				return err
			}
			if o.replicas > 0 {
				return runReplicas(c.Context(), o, settings, c.OutOrStdout(), c.ErrOrStderr())
			}
			return runFit(c.Context(), o, settings, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.flags = c.Flags()
	addKeys(c.Flags(), &o.config)
	c.Flags().Var(countFlag(&o.replicas, "replicas", study.MaxSplits), "replicas",
		"train `R` times, with the seeds seed … seed + R − 1")
	addWorkers(c.Flags(), &o.workers)
	addJSON(c.Flags(), &o.json)
	c.Flags().StringVarP(&o.output, "output", "o", "", "also write the JSON object to a `FILE`")
	c.Flags().StringVar(&o.save, "save", "", "write the trained model to a `FILE`, replacing a model")
	addPicture(c.Flags(), &o.picture)
	c.Flags().Lookup("picture").Usage = "with --replicas: " + c.Flags().Lookup("picture").Usage
	c.Flags().StringVar(&o.symbols, "symbols", "", symbolsUsage)
	o.addProgress(c.Flags(), "")
	return c
}

// settings resolves the settings of the arguments and options, and rejects
// options that can't be combined.
func (o *fitOptions) settings(args []string) (config.Settings, error) {
	switch {
	case o.workers > 0 && o.replicas == 0:
		return config.Settings{}, errs.New(errs.Request, "add --replicas R, or leave it out", "--workers %d is for replicas", o.workers)
	case o.picture != "" && o.replicas == 0:
		return config.Settings{}, errs.New(errs.Request, "add --replicas R, or use fsnet report for one training",
			"--picture shows how often replicas choose each feature")
	case o.symbols != "" && o.replicas > 0:
		return config.Settings{}, errs.New(errs.Request, "leave it out", "--symbols names the features of one training, not of replicas")
	}
	if err := needData(args, &o.config, "name a file or a built-in one, as in: fsnet fit ALLAML"); err != nil {
		return config.Settings{}, err
	}
	return o.config.Resolve()
}

const symbolsUsage = "show the features' symbols: a `FILE` with a feature and its symbol on each line, separated by a tab or a comma"

// runFit trains once, writes the requested files, and prints the result to out.
// If it is interrupted, it prints what was learnt so far to messages, writes no
// file, and returns the error.
func runFit(ctx context.Context, o fitOptions, settings config.Settings, out, messages io.Writer) error {
	if err := o.writable(); err != nil { // now rather than after the training
		return err
	}

	var symbols map[string]string
	if o.symbols != "" {
		var err error
		if symbols, err = dataset.ReadSymbols(o.symbols, ""); err != nil {
			return err
		}
	}

	data, device, err := dataAndDevice(ctx, settings)
	if err != nil {
		return err
	}
	defer device.Close()

	const large = 1e9 // bytes
	if plan := engine.PlanMemory(data, settings, device.Name); plan.Host+plan.Device > large && !o.quiet {
		fmt.Fprintln(messages, plan)
	}

	bar := o.bar(messages)
	var result fsnet.Result
	model, err := fsnet.Fit(ctx, data, o.config, fsnet.OnDevice(device), fsnet.WithResult(&result),
		fsnet.WithProgress(func(s session.Status) error { bar.showTraining(s); return nil }))
	bar.end()

	if model == nil {
		return err
	}

	var looks looked
	looks.recordSplit(data, settings)
	looks.print(messages, o.quiet)
	for i := range result.Selected {
		result.Selected[i].Symbol = symbols[result.Selected[i].Name]
	}

	if err != nil { // show what was learnt so far, but not where a program expects a finished result
		_ = o.print(messages, &result, data)
		if errs.Is(err, errs.Interrupted) {
			err = errs.With(err, errs.Interrupted, "no file was written: the same command starts over; a session of fsnet repl would continue")
		}
		return err
	}

	if o.save != "" {
		if err := model.Save(o.save); err != nil {
			return err
		}
	}

	return o.deliver(out, result, func() error { return o.print(out, &result, data) })
}

// runReplicas runs fit with --replicas. If it is interrupted, it prints the
// finished replicas to messages and returns the error. If some replicas failed,
// it reports on the others and returns an error.
func runReplicas(ctx context.Context, o fitOptions, settings config.Settings, out, messages io.Writer) error {
	if err := o.writable(); err != nil {
		return err
	}

	oneThread()
	data, device, err := dataAndDevice(ctx, settings)
	if err != nil {
		return err
	}
	defer device.Close()

	plan, err := study.Replicas(data, o.config, o.replicas)
	if err != nil {
		return err
	}

	bar := o.bar(messages)
	start, workers := time.Now(), 1
	var looks looked
	train := looks.counting(trainReplicas(device, study.ReplicaOptions{AtOnce: o.workers, Save: o.saveOf}))
	rows, runErr := train(ctx, plan, nil, func(p study.Progress) error {
		workers = max(1, p.Workers)
		bar.showStudy(p, "replica", "")
		return nil
	})
	bar.end()

	looks.print(messages, o.quiet)
	report := newReplicasReport(rows, workers, time.Since(start))
	switch {
	case report == nil && runErr == nil:
		return rows[0].Err()
	case report == nil:
		return runErr
	case runErr != nil: // as for a single fit: show it, but not where a program expects a finished result
		_ = report.print(messages)
		return runErr
	}

	if err := report.picture(o); err != nil {
		return err
	}

	return cmp.Or(o.deliver(out, report, func() error { return report.print(out) }), report.failure(o.replicas))
}

// dataAndDevice reads the data set and opens the device of the settings. The
// caller must close the device. It rejects a K that exceeds the data's features
// before anything is planned.
func dataAndDevice(ctx context.Context, settings config.Settings) (*dataset.Dataset, *device.Device, error) {
	data, err := dataset.Open(ctx, settings, "")
	if err == nil {
		err = data.CheckK(settings.K)
	}
	if err != nil {
		return nil, nil, err
	}
	device, err := device.Open(ctx, settings.Backend)
	return data, device, err
}

// deliver outputs the result as JSON to --output, and with --json to out.
// Without --json it calls forPeople to print the result.
func (o fitOptions) deliver(out io.Writer, object any, forPeople func() error) error {
	text, err := jsonOf(object)
	if err == nil && o.output != "" {
		err = o.jsonFile().Write(o.inputs(), text)
	}
	switch {
	case err != nil:
		return err
	case !o.json:
		return forPeople()
	}
	_, err = out.Write(text)
	return err
}

// jsonFile returns the file of --output. Both a fit and replicas have these
// members.
func (o fitOptions) jsonFile() output.File {
	return output.File{Flag: "--output", Path: o.output, Verb: "fit", Own: output.IsJSON("dataset", "protocol", "seed", "steps_per_second")}
}

func (o fitOptions) pictureFile() output.File {
	return output.File{Flag: "--picture", Path: o.picture, Verb: "fit"}
}

// inputs returns the files that the command reads.
func (o fitOptions) inputs() []string { return inputs(o.config, o.symbols) }

// writable checks that the requested files can be written, each to a different
// place.
func (o fitOptions) writable() error {
	files := []output.File{o.jsonFile(), o.pictureFile()}
	model := func(path string) output.File {
		return output.File{Flag: "--save", Path: path, Verb: "fit", Own: fsnet.IsModel}
	}
	if o.replicas == 0 {
		files = append(files, model(o.save))
	}
	for r := range o.replicas {
		files = append(files, model(o.saveOf(o.config.Seed+int64(r))))
	}
	return cmp.Or(checkPicture(o.picture), checkOutputs(o.inputs(), files...))
}

// saveOf returns the file for the model of one of many replicas. For --save
// NAME.safetensors it is NAME-seedN.safetensors.
func (o fitOptions) saveOf(seed int64) string {
	if o.save == "" {
		return ""
	}
	extension := filepath.Ext(o.save)
	return fmt.Sprintf("%s-seed%d%s", strings.TrimSuffix(o.save, extension), seed, extension)
}

// print prints a result as text, with doubts about the data.
func (o fitOptions) print(out io.Writer, r *fsnet.Result, data *dataset.Dataset) error {
	fmt.Fprintf(out, "%s\n\n", r.Notes.Answer)

	effect := "stands out in, SD"
	if r.Regression() {
		effect = "goes with it"
	}
	symbols := slices.ContainsFunc(r.Selected, func(s fsnet.Chosen) bool { return s.Symbol != "" })
	strips := slices.ContainsFunc(r.Strips, func(classes [][]int) bool { return classes != nil })

	row := func(rank, feature, symbol, effect, strip, column, probability string) []string {
		cells := []string{rank, feature}
		if symbols {
			cells = append(cells, symbol)
		}
		cells = append(cells, effect)
		if strips {
			cells = append(cells, strip)
		}
		return append(cells, column, probability)
	}

	t := words.NewTable(row(">rank", "feature", "symbol", effect, strings.Join(r.Classes, " | ")+", low to high", ">column", "probability")...)

	contested := 0

	for i, f := range r.Selected {
		by := session.Selected{ChosenBy: f.ChosenBy, Replaced: f.Replaced}.Reason()
		if by != "" {
			by = " " + by
		}
		if f.Replaced != nil {
			contested++
		}

		t.Add(row(strconv.Itoa(f.Rank), f.Name, f.Symbol, f.Effect.String(), words.Strip(r.Strips[i]), strconv.Itoa(f.Index),
			fmt.Sprintf("%.3f%s", f.Probability, by))...)
	}

	if err := printTable(out, t); err != nil {
		return err
	}

	for _, text := range r.Pairs {
		fmt.Fprintln(out, text)
	}

	fmt.Fprintf(out, "\n%s: %s, %s (%s)\n", r.Dataset, phrase.Table(r.N, r.D), labelText(r.Classes, r.Regression()), r.Notes.Source)
	printDoubts(out, o.flags, data)
	fmt.Fprintf(out, "%s protocol (%s), K = %d, seed %d%s, on %s (%s; %s)\n", r.Protocol, r.Trainer, r.K, r.Seed, splitSeedText(r.Seed, r.SplitSeed),
		r.Backend, r.Device, r.Notes.BackendReason)

	if r.Final != nil {
		printScores(out, session.FinalNetwork, fsnet.Scores{Train: r.TrainScore, Validation: r.ValidationScore, Test: r.Final.Test})
	}
	printScores(out, session.TrainedNetwork, r.Trained)

	reason := cmp.Or(r.Notes.Reason, "interrupted before its end")
	fmt.Fprintf(out, "%d of %s settled; %s\n", r.SettledRows, phrase.Count(r.K, "selector"), reason)
	epochs := words.Number(r.Epochs) + " epochs"
	if r.Epochs == 1 {
		epochs = "1 epoch"
	}

	if contested > 0 {
		fmt.Fprintf(out, "%s changed in the contest at the end to a feature that says clearly more beside the others\n",
			phrase.Count(contested, "selector"))
	}

	_, err := fmt.Fprintf(out, "%s of %s (%s) in %.1f s, %.0f steps a second; %d parameters trained, %d of them predict, %.1f kB\n",
		phrase.Count(r.Steps, "step"), phrase.Count(r.Batch, "row"), epochs, r.Seconds, r.StepsPerSecond, r.ParametersTrained, r.Parameters, r.ModelKB)
	return err
}

// printScores prints a network's scores in a line. A test score comes last.
func printScores(out io.Writer, network string, s fsnet.Scores) {
	text := fmt.Sprintf("%s: %s %.3f on the training rows", network, s.Train.Metric.Name(), s.Train.Value)
	if s.Validation != nil {
		text += fmt.Sprintf(", %.3f on the validation rows", s.Validation.Value)
	}
	if s.Test != nil {
		text += fmt.Sprintf(", %.3f on the test rows", s.Test.Value)
	}
	fmt.Fprintln(out, text)
}
