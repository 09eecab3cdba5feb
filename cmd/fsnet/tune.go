package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/widgets/chart"
)

type tuneOptions struct {
	config  config.Config
	grid    string
	judging study.TuneOptions
	json    bool
	picture string
	rowOptions
}

// newTuneCommand is fsnet tune.
func newTuneCommand() *cobra.Command {
	var o tuneOptions
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
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runTune(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	addGrid(c.Flags(), &o, "keys and the values to try, `KEYS`, as in \"k=5,10,20 lambda=0,1\"")
	addTuneFolds(c.Flags(), &o.judging)
	addJSON(c.Flags(), &o.json)
	addPicture(c.Flags(), &o.picture)
	o.add(c.Flags())
	return c
}

// addGrid gives a command what is tried, and who judges.
func addGrid(flags *pflag.FlagSet, o *tuneOptions, about string) {
	flags.StringVar(&o.grid, "grid", "", about)
	flags.StringVar(&o.judging.Judge, "judge", study.Own, "whose accuracy decides, `NAME`: own (the network trained with the selection) "+
		"or svm (a support vector machine); for a quantity, own or kernel-ridge")
}

// addTuneFolds gives a command the options of cross-validation.
func addTuneFolds(flags *pflag.FlagSet, o *study.TuneOptions) {
	o.Folds, o.Repeats = 5, 1
	addFoldFlags(flags, &o.Folds, &o.Repeats)
}

// open reads the data, once it is known that what was asked for can be written.
func (o *tuneOptions) open(ctx context.Context, args []string) (*dataset.Dataset, config.Settings, error) {
	if err := needData(args, &o.config, "name a file or a built-in one, such as ALLAML"); err != nil {
		return nil, config.Settings{}, err
	}
	if err := o.check(o.config.Data); err != nil {
		return nil, config.Settings{}, err
	}
	if err := checkPicture(o.picture, o.config.Data); err != nil {
		return nil, config.Settings{}, err
	}
	settings, err := o.config.Resolve()
	if err != nil {
		return nil, settings, err
	}
	data, err := dataset.Open(ctx, settings, "")
	return data, settings, err
}

// train makes the rows of a plan on a device and reports what is done; runErr is why that is not all.
func (o tuneOptions) train(ctx context.Context, plan *study.Tuning, device *device.Device, messages io.Writer) (report tuneReport, runErr, err error) {
	made, runErr := o.make(ctx, plan.Rows, device.Name, onDevice(device), messages, foldWords)
	if len(made) == 0 && runErr != nil {
		return report, nil, runErr
	}
	return tuneReport{Tuned: summarizeTuning(plan, made), Trainings: made}, runErr, nil
}

// summarizeTuning is what rows come to, with the lines that go on with the choice.
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

// fitCommand is fsnet fit with these settings, for a shell.
func fitCommand(c config.Config) string {
	words := []string{"fsnet", "fit"}
	if c.Data != "" {
		words = append(words, shellQuoted(c.Data, `'\''`))
	}
	for _, key := range c.Given() {
		if key.Name != "data" {
			words = append(words, "--"+strings.ReplaceAll(key.Name, "_", "-"), shellQuoted(c.Text(key.Name), `'\''`))
		}
	}
	return strings.Join(words, " ")
}

// openMagic is the line that opens a session with these settings.
func openMagic(c config.Config) string {
	words := []string{"%fsnet", "open", "tuned"}
	for _, key := range c.Given() {
		words = append(words, key.Name+"="+shellQuoted(c.Text(key.Name), `'"'"'`))
	}
	return strings.Join(words, " ")
}

// shellQuoted puts a word in quotes where it needs them. quote is how a quote is written inside.
func shellQuoted(word, quote string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+-"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", quote) + "'"
}

func runTune(ctx context.Context, o tuneOptions, args []string, out, messages io.Writer) error {
	data, settings, err := o.open(ctx, args)
	if err != nil {
		return err
	}
	if o.grid == "" {
		return errs.New(errs.Request, "write --grid k=5,10,20", "no grid: nothing to choose from")
	}
	if o.judging.Grid, err = study.ParseGrid(o.grid); err != nil {
		return err
	}
	plan, err := study.NewTuning(data, o.config, o.judging)
	if err != nil {
		return err
	}
	draw, sweep := chart.Tuning, o.judging.Seeds > 0
	if sweep {
		draw, o.partial = chart.Sweep, func(made []study.Row) any { return summarizeTuning(plan, made) }
	}
	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	report, runErr, err := o.train(ctx, plan, device, messages)
	if err != nil {
		return err
	}
	return o.deliver(out, report, draw, chart.TuningTable, sweep, runErr)
}

// foldWords is what is being trained, in words.
func foldWords(cell study.Row) string {
	text := fmt.Sprintf("k=%d", cell.K)
	if _, settings, has := strings.Cut(cell.Method, ":"); has {
		text += " " + strings.ReplaceAll(settings, ",", " ")
	}
	return text + ", " + cell.Dataset
}

// tuneReport is what fsnet tune --json and its like print.
type tuneReport struct {
	results.Tuned
	Trainings []study.Row `json:"trainings"` // a row for each fold
}

// deliver prints a report as it was asked for, with what ended the run before its time. The table says what the picture does not; people
// see both, or the table alone.
func (o tuneOptions) deliver(out io.Writer, report tuneReport, draw func(results.Tuned) (chart.Picture, error),
	tabulate func(results.Tuned) chart.Picture, both bool, runErr error) error {
	picture, err := draw(report.Tuned)
	if err != nil {
		return err
	}
	table := tabulate(report.Tuned)
	if both {
		table.Text = picture.Text + "\n" + table.Text
	}
	picture.HTML = table.HTML
	if err := writePicture(o.picture, picture); err != nil {
		return err
	}
	if o.json {
		err = printJSON(out, report)
	} else {
		_, err = io.WriteString(out, table.Text)
	}
	if err != nil || runErr != nil {
		return cmp.Or(runErr, err)
	}
	for _, row := range report.Trainings {
		if row.Error != "" {
			return errs.New(errs.Failed, "", "some trainings failed, the first one %s: %s", foldWords(row), row.Error)
		}
	}
	return nil
}

// newSweepCommand is fsnet sweep: what fsnet tune does, of one key, with several seeds, as a curve.
func newSweepCommand() *cobra.Command {
	o := tuneOptions{judging: study.TuneOptions{Seeds: 5, Folds: 5}}
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
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runTune(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	addGrid(c.Flags(), &o, "one key and the values to try, `KEY`=VALUE,VALUE, as in k=5,10,20,50")
	c.Flags().Var(countFlag(&o.judging.Seeds, "seeds", study.MaxSeeds), "seeds", "train every value with `N` seeds")
	c.Flags().Var(countFlag(&o.judging.Folds, "folds", mostFolds), "folds", "divide the training rows into `N` folds")
	addJSON(c.Flags(), &o.json)
	addPicture(c.Flags(), &o.picture)
	o.add(c.Flags())
	return c
}

// newPathCommand is fsnet path.
func newPathCommand() *cobra.Command {
	var o tuneOptions
	o.judging.Path = []int{5, 10, 20, 50}
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
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runPath(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config, "k")
	c.Flags().Var(countsFlag(&o.judging.Path, "k"), "k", "numbers of features, separated by commas")
	addTuneFolds(c.Flags(), &o.judging)
	addJSON(c.Flags(), &o.json)
	addPicture(c.Flags(), &o.picture)
	o.add(c.Flags())
	return c
}

func runPath(ctx context.Context, o tuneOptions, args []string, out, messages io.Writer) error {
	data, settings, err := o.open(ctx, args)
	if err != nil {
		return err
	}
	plan, err := study.NewTuning(data, o.config, o.judging)
	if err != nil {
		return err
	}
	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	report, runErr, err := o.train(ctx, plan, device, messages)
	if err != nil {
		return err
	}
	if runErr == nil {
		bar := newBar(messages, o.quiet || o.lines != "")
		path, err := fsnet.FitPath(ctx, data, o.config, o.judging.Path, fsnet.OnDevice(device),
			fsnet.WithProgress(func(s session.Status) error { bar.Show(s); return nil }))
		bar.End()
		if runErr = err; path != nil && err == nil {
			for _, s := range path.Selected(path.K[len(path.K)-1]) {
				report.Selected = append(report.Selected,
					results.PathFeature{Rank: s.Rank, Index: s.Index, Name: s.Name, Enters: path.Enters(s.Rank), Probability: s.Probability})
			}
		}
	}
	return o.deliver(out, report, chart.Path, chart.PathTable, true, runErr)
}
