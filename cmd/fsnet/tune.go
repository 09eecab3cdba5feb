package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart"
)

type tuneOptions struct {
	config  config.Config
	grid    string
	judging study.TuneOptions
	fits    bool // drops the values of a path that exceed the number of features
	json    bool
	picture string
	rowOptions
}

// tuneKind says how to draw tune, sweep or path. The text shows the table and,
// if both is set, the picture, too.
type tuneKind struct {
	draw  func(results.Tuned) (chart.Picture, error)
	table func(results.Tuned) chart.Picture
	both  bool
}

// command adds the options that tune, sweep and path share, except the keys in
// but, and the function that runs them. It returns c.
func (o *tuneOptions) command(c *cobra.Command, kind tuneKind, but ...string) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		o.fits = o.judging.Path != nil && !c.Flags().Changed("k")
		return runTune(c.Context(), *o, kind, args, c.OutOrStdout(), c.ErrOrStderr())
	}
	addKeys(c.Flags(), &o.config, but...)
	addJSON(c.Flags(), &o.json)
	addPicture(c.Flags(), &o.picture)
	o.register(c.Flags())
	return c
}

// addGrid adds the options --grid and --judge.
func (o *tuneOptions) addGrid(flags *pflag.FlagSet, about string) {
	flags.StringVar(&o.grid, "grid", "", about)
	flags.StringVar(&o.judging.Judge, "judge", study.Own, "whose accuracy decides, `NAME`: own (the network trained with the selection) "+
		"or svm (a support vector machine); for a quantity, own or kernel-ridge")
}

// newTuneCommand returns fsnet tune.
func newTuneCommand() *cobra.Command {
	o := &tuneOptions{judging: study.TuneOptions{Folds: 5, Repeats: 1}}
	c := &cobra.Command{
		Use:   "tune DATA --grid \"KEY=VALUE,VALUE …\"",
		Short: "Choose settings by cross-validation inside the training rows",
		Long: "Choose settings by cross-validation inside the training rows.\n\n" +
			"--grid names keys and the values to try. Every combination is trained on the training rows without one fold and tested\n" +
			"on that fold, for each fold in turn; all combinations have the same folds. Of those whose mean accuracy is within one\n" +
			"standard error of the best, the choice is the smallest k, then the first in the grid. List the values you\n" +
			"prefer first.\n\n" +
			"Test and validation rows are not looked at. The split is that of fsnet fit with the same options, and the line printed\n" +
			"at the end trains with the choice: its accuracy on the test rows is the honest one.\n\n" +
			"A grid takes k and the keys of a training; whatever divides, fills or scales the rows is an option. Separate values\n" +
			"that contain commas with bars, as in hidden=64,32|32. --split-seed (or --seed) decides the folds.\n\n" +
			"With --task regression, R² replaces the accuracy, and a kernel ridge regression the support vector machine.\n\n" +
			"--output FILE saves every row as a line of JSON as soon as it is done. Give the same FILE again to continue an interrupted\n" +
			"tuning.",
		Example: "  fsnet tune ALLAML --grid \"k=5,10,20 lambda=0,1\"\n" +
			"  fsnet tune ages.csv --label age --task regression --grid \"k=5,10,20\" --judge kernel-ridge\n" +
			"  fsnet tune cohort.csv --label diagnosis --grid \"k=5,10,20\" --folds 10 --repeats 3 --judge svm --output rows.jsonl\n" +
			"  fsnet tune ALLAML --grid \"protocol=fsnet,paper\" --epochs 300 --picture tuned.svg --json > tuned.json",
	}
	o.addGrid(c.Flags(), "keys and the values to try, `KEYS`, as in \"k=5,10,20 lambda=0,1\"")
	addFoldFlags(c.Flags(), &o.judging.Folds, &o.judging.Repeats)
	return o.command(c, tuneKind{chart.Tuning, chart.TuningTable, false})
}

// newSweepCommand returns fsnet sweep, which is fsnet tune for one key and
// several seeds, drawn as a curve.
func newSweepCommand() *cobra.Command {
	o := &tuneOptions{judging: study.TuneOptions{Seeds: 5, Folds: 5}}
	c := &cobra.Command{
		Use:   "sweep DATA --grid KEY=VALUE,VALUE…",
		Short: "Draw how the accuracy depends on one key, with intervals over seeds",
		Long: "Draw how the accuracy depends on one key, with intervals over seeds.\n\n" +
			"This is fsnet tune for one key, such as k or lambda, with several seeds. Each seed divides the training rows into\n" +
			"folds anew and trains from a start of its own, so that every training row is held out once per seed. The curve is the\n" +
			"mean over seeds; its 95% interval and the dots, one for each seed, show how much chance moves it. The standard error\n" +
			"over folds, in the table, shows what other samples would do.\n\n" +
			"Test and validation rows are not looked at. It chooses as fsnet tune does; with --task regression, too, by R².\n\n" +
			"--output FILE saves every row as a line of JSON as soon as it is done. An interrupted sweep prints what is done; give the same\n" +
			"FILE again to continue it.",
		Example: "  fsnet sweep ALLAML --grid k=5,10,20,50 --picture k.svg\n" +
			"  fsnet sweep cohort.csv --label diagnosis --grid lambda=0,0.1,1 --seeds 10 --output rows.jsonl",
	}
	o.addGrid(c.Flags(), "one key and the values to try, `KEY`=VALUE,VALUE, as in k=5,10,20,50")
	c.Flags().Var(countFlag(&o.judging.Seeds, "seeds", study.MaxSeeds), "seeds", "train every value with `N` seeds")
	c.Flags().Var(countFlag(&o.judging.Folds, "folds", maxFolds), "folds", "divide the training rows into `N` folds")
	return o.command(c, tuneKind{chart.Sweep, chart.TuningTable, true})
}

// newPathCommand returns fsnet path.
func newPathCommand() *cobra.Command {
	o := &tuneOptions{judging: study.TuneOptions{Path: []int{5, 10, 20, 50}, Folds: 5, Repeats: 1}}
	c := &cobra.Command{
		Use:   "path DATA --k 5,10,20,50",
		Short: "Show how many features are worth it: nested selections of one training, with their accuracies",
		Long: "Show how many features are worth it: nested selections of one training, with their accuracies.\n\n" +
			"One training with the largest k picks the features; a smaller k takes the first of them, in the order of forward\n" +
			"selection: the table says which feature enters at which k. The accuracies are a support vector machine's,\n" +
			"cross-validated inside the training rows with a training of its own in each fold; test and validation rows are not\n" +
			"looked at. With --task regression they are the R² of a kernel ridge regression.\n\n" +
			"--output FILE saves every row as a line of JSON as soon as it is done. Give the same FILE again to continue an interrupted path.",
		Example: "  fsnet path ALLAML --k 5,10,20,50\n  fsnet path cohort.csv --label diagnosis --k 2,5,10 --picture path.svg",
	}
	c.Flags().Var(countsFlag(&o.judging.Path, "k"), "k", "numbers of features, separated by commas")
	addFoldFlags(c.Flags(), &o.judging.Folds, &o.judging.Repeats)
	return o.command(c, tuneKind{chart.Path, chart.PathTable, true}, "k")
}

// tuneReport is the object that fsnet tune, sweep and path print with --json.
type tuneReport struct {
	results.Tuned
	Trainings []study.Row `json:"trainings"` // a row for each fold
}

// runTune makes the rows of a plan and reports them. If the run ends early, it
// reports those made so far.
func runTune(ctx context.Context, o tuneOptions, kind tuneKind, args []string, out, messages io.Writer) error {
	if err := needData(args, &o.config, "name a file or a built-in one, such as ALLAML"); err != nil {
		return err
	}

	if err := cmp.Or(o.check(), checkPicture(o.picture), checkOutputs(inputs(o.config), o.file(), o.pictureFile())); err != nil {
		return err
	}

	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}

	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return err
	}

	switch {
	case o.fits:
		path := slices.DeleteFunc(slices.Clone(o.judging.Path), func(k int) bool { return k > data.D })
		if o.judging.Path = path; len(path) == 0 {
			o.judging.Path = []int{data.D}
		}
	case o.judging.Path != nil:
	case o.grid == "":
		return errs.New(errs.Request, "write --grid k=5,10,20", "no grid: nothing to choose from")
	default:
		if o.judging.Grid, err = study.ParseGrid(o.grid); err != nil {
			return err
		}
	}

	plan, err := study.NewTuning(data, o.config, o.judging)
	if err != nil {
		return err
	}

	if o.judging.Seeds > 0 {
		o.partial = func(made []study.Row) any { return summarizeTuning(plan, made) }
	}

	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()

	made, runErr := o.makeRows(ctx, plan.Rows, device.Name, onDevice(device), messages, foldWords)
	if len(made) == 0 && runErr != nil {
		return runErr
	}

	report := tuneReport{Tuned: summarizeTuning(plan, made), Trainings: made}
	if o.judging.Path != nil && runErr == nil {
		report.Selected, runErr = o.trainPath(ctx, data, device, messages)
	}

	for _, row := range made {
		if row.Error != "" && runErr == nil {
			runErr = errs.New(errs.Failed, "", "some trainings failed, the first one %s: %s", foldWords(row), row.Error)
		}
	}

	return cmp.Or(o.deliver(out, report, kind), runErr)
}

// pictureFile returns the file of --picture.
func (o tuneOptions) pictureFile() output.File {
	f := output.File{Flag: "--picture", Path: o.picture, Verb: "tune"}
	switch {
	case o.judging.Path != nil:
		f.Verb = "path"
	case o.judging.Seeds > 0:
		f.Verb = "sweep"
	}
	return f
}

// trainPath trains once with the largest K. It returns the features that it selects,
// by rank, each with the K at which it enters. With an error the list is nil.
func (o tuneOptions) trainPath(ctx context.Context, data *dataset.Dataset, device *device.Device, messages io.Writer) (list []results.PathFeature, err error) {
	bar := o.bar(messages)
	path, err := fsnet.FitPath(ctx, data, o.config, o.judging.Path, fsnet.OnDevice(device),
		fsnet.WithProgress(func(s session.Status) error { bar.showTraining(s); return nil }))
	bar.end()
	if path == nil || err != nil {
		return nil, err
	}

	for _, s := range path.Selected(path.K[len(path.K)-1]) {
		list = append(list, results.PathFeature{Rank: s.Rank, Index: s.Index, Name: s.Name, Enters: path.Enters(s.Rank), Probability: s.Probability})
	}
	return list, nil
}

// summarizeTuning summarises rows. It adds the commands that continue with the
// chosen settings.
func summarizeTuning(plan *study.Tuning, made []study.Row) results.Tuned {
	r := plan.Summarize(made)
	if r.Chosen == nil {
		return r
	}
	c := plan.Config
	for _, s := range r.Points[*r.Chosen].Settings {
		if err := c.Set(s.Key, s.Value); err != nil {
			panic(fmt.Sprintf("tune: a setting that was tried is refused: %v", err))
		}
	}
	r.Command, r.Magic = fitCommand(c), openMagic(c)
	return r
}

// fitCommand returns the shell command fsnet fit with these settings.
func fitCommand(c config.Config) string {
	words := []string{"fsnet", "fit"}
	if c.Data != "" {
		words = append(words, phrase.Word(c.Data))
	}
	for _, key := range c.Given() {
		if key.Name != "data" {
			words = append(words, "--"+strings.ReplaceAll(key.Name, "_", "-"), phrase.Word(c.Text(key.Name)))
		}
	}
	return strings.Join(words, " ")
}

// openMagic returns the line that opens a session with these settings.
func openMagic(c config.Config) string {
	words := []string{"%fsnet", "open", "tuned"}
	for _, key := range c.Given() {
		words = append(words, key.Name+"="+phrase.Word(c.Text(key.Name)))
	}
	return strings.Join(words, " ")
}

// foldWords describes the training of a row.
func foldWords(cell study.Row) string {
	text := fmt.Sprintf("k=%d", cell.K)
	if _, settings, has := strings.Cut(cell.Method, ":"); has {
		text += " " + strings.ReplaceAll(settings, ",", " ")
	}
	return text + ", " + cell.Dataset
}

// deliver writes the picture, if a file is named, and prints a report as text
// or JSON.
func (o tuneOptions) deliver(out io.Writer, report tuneReport, kind tuneKind) error {
	picture, err := kind.draw(report.Tuned)
	if err != nil {
		return err
	}
	table := kind.table(report.Tuned)
	picture.HTML = table.HTML
	if err := writePicture(o.pictureFile(), inputs(o.config), picture); err != nil {
		return err
	}
	if o.json {
		return printJSON(out, report)
	}
	if kind.both {
		table.Text = picture.Text + "\n" + table.Text
	}
	_, err = io.WriteString(out, table.Text)
	return err
}
