package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/report"
)

// compareWhat is compared, as options say it.
type compareWhat struct {
	config  config.Config
	methods string
	k       []int
	splits  int
	folds   int // of cross-validation; 0 is none
	repeats int
	halves  *pflag.Flag // --splits
}

func newCompareWhat() compareWhat { return compareWhat{k: []int{10}, splits: 20, repeats: 1} }

func (w *compareWhat) add(flags *pflag.FlagSet) {
	addKeys(flags, &w.config, "k", "data")
	flags.StringVar(&w.methods, "methods", "all", "methods, `NAMES` separated by commas: all, or any of "+strings.Join(completedMethods(), ", ")+
		", with settings after a colon, as in fsnet:protocol=paper")
	flags.Var(countsFlag(&w.k, "k"), "k", "numbers of features to select, separated by commas")
	flags.Var(countFlag(&w.splits, "splits", study.MaxSplits), "splits", "compare on `S` splits, with the seeds seed … seed + S − 1")
	w.halves = flags.Lookup("splits")
	addFoldFlags(flags, &w.folds, &w.repeats)
}

// plan reads the data and says what is compared.
func (w *compareWhat) plan(ctx context.Context, names []string) (*study.Plan, error) {
	if len(names) == 0 {
		return nil, errs.New(errs.Request, "name files or built-in ones, as in: fsnet compare ALLAML", "no data set")
	}
	if w.folds > 0 && w.halves.Changed {
		return nil, errs.New(errs.Request,
			"choose one of them: --splits divides the rows in two, --folds in N parts, as often as --repeats says",
			"both --splits %d and --folds %d", w.splits, w.folds)
	}
	methods, err := study.Methods(w.methods)
	if err != nil {
		return nil, err
	}
	data, err := openAll(ctx, w.config, names, "")
	if err != nil {
		return nil, err
	}
	plan, err := study.New(data, w.config, methods, w.k, w.splits)
	switch {
	case err != nil:
	case w.folds > 0:
		err = plan.Fold(w.folds, w.repeats)
	case w.repeats > 1:
		err = errs.New(errs.Request, "add --folds 5, or use --splits", "repeats = %d without folds", w.repeats)
	}
	return plan, err
}

type compareOptions struct {
	compareWhat
	compareForm
	rowOptions
}

// newCompareCommand is the command.
func newCompareCommand() *cobra.Command {
	o := compareOptions{compareWhat: newCompareWhat()}
	c := &cobra.Command{
		Use:   "compare DATA…",
		Short: "Compare FsNet with other methods of feature selection, on the same splits",
		Long: "Compare FsNet with other methods of feature selection, on the same splits.\n\n" +
			"On each split, every method selects K features from the training rows. A support vector machine trained on these\n" +
			"features is then tested on the test rows, and so is the method's own predictor, if it has one. The splits have the\n" +
			"seeds --seed, --seed + 1 and so on (or those from --split-seed on) and test half of the rows unless --test-fraction\n" +
			"says otherwise; FsNet's row is what fsnet fit gives with these seeds. The other options are FsNet's, as in fsnet fit;\n" +
			"those for data, split and scaling apply to all methods.\n\n" +
			"--folds 5 --repeats 5 cross-validates instead: each of five folds of all rows is tested in turn, five times over, with\n" +
			"other folds each time. With --split column:NAME the folds are those that the column gives.\n\n" +
			"Settings follow a method's name, as in mrmr:criterion=miq. fsnet takes every key of its training and may appear more\n" +
			"than once: fsnet,fsnet:protocol=paper,fsnet:protocol=paper,epochs=400. Keys that its name leaves out come from the\n" +
			"options, then from its protocol. Methods are tested against the first FsNet. fsnet-path trains FsNet once, with the\n" +
			"largest K; a smaller K takes the first of its features.\n\n" +
			"NAME=COMMAND is a program of yours, as in rf=./rf.py: docs/methods.md has its protocol.\n\n" +
			"At d = 7129, cae, cae-supervised and stg take half a minute to more than a minute of processor time per\n" +
			"split; the other methods take seconds. Settings shorten that, as in cae:tries=1.\n\n" +
			"--output FILE saves every row as a line of JSON as soon as it is done; --csv prints them for other programs. Give the same FILE again to continue an interrupted\n" +
			"comparison, or to add methods, K or splits. Only one process at a time may write to it. Rows of other data or\n" +
			"settings, of another version of a method or from another kind of device are refused, with a line that names the\n" +
			"difference.\n\n" +
			"--report FILE.html writes everything that the rows tell as one page that needs no network.\n\n" +
			"plan, run and merge make the same rows in parts, on one machine or many.",
		Example: "  fsnet compare ALLAML --methods fsnet,mrmr,svm --k 10 --splits 5\n" +
			"  fsnet compare ALLAML --methods fsnet,fsnet:protocol=paper --splits 5\n" +
			"  fsnet compare ALLAML GLIOMA.mat --methods all --k 10,50 --output rows.jsonl\n" +
			"  fsnet compare ALLAML --methods fsnet,mrmr:criterion=miq,hsic-lasso-block:b=10 --json > compared.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runCompare(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.compareWhat.add(c.Flags())
	o.compareForm.add(c.Flags())
	o.rowOptions.add(c.Flags())
	c.AddCommand(planCommands(study.Comparison)...)
	return c
}

// completedMethods are those that a line %fsnet compare can name.
func completedMethods() []string {
	list := []string{study.FsNet, study.FsNetPath}
	for _, m := range comparators.All() {
		list = append(list, m.Entry().Name)
	}
	return list
}

func runCompare(ctx context.Context, o compareOptions, names []string, out, messages io.Writer) error {
	if err := o.rowOptions.check(names...); err != nil {
		return err
	}
	if err := o.compareForm.check(append(slices.Clone(names), o.output)...); err != nil {
		return err
	}
	plan, err := o.plan(ctx, names)
	if err != nil {
		return err
	}
	device, err := device.Open(ctx, plan.Settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	made, runErr := o.make(ctx, plan, device.Name, onDevice(device), messages, cellWords)
	bad := failedCells(made, "")
	if runErr != nil && !slices.ContainsFunc(made, func(r study.Row) bool { return r.Error == "" }) {
		return runErr
	}
	if err := o.print(out, plan, made); err != nil {
		return err
	}
	return cmp.Or(runErr, bad)
}

// cellWords says which cell is being made.
func cellWords(cell study.Row) string {
	return fmt.Sprintf("%s, K = %d, split %d", cell.Method, cell.K, cell.Split)
}

// compareReport is what fsnet compare --json and fsnet compare merge --json print.
type compareReport struct {
	Datasets []comparedData  `json:"datasets"` // what was compared on
	Methods  []string        `json:"methods"`  // names of the methods, with their settings
	K        []int           `json:"k"`        // numbers of features to select
	Splits   int             `json:"splits"`   // of each data set
	Seed     int64           `json:"seed"`     // of the first split
	Protocol string          `json:"protocol"` // FsNet's
	Planned  int             `json:"planned"`  // rows; fewer are there after an interruption
	Rows     []study.Row     `json:"rows"`     // one for each method, K and split of each data set
	Summary  []results.Table `json:"summary"`  // one table for each data set and K
}

type comparedData struct {
	Name    string   `json:"name"`    // of the data set
	N       int      `json:"n"`       // rows (samples)
	D       int      `json:"d"`       // features
	Classes []string `json:"classes"` // names of the classes, or the ranges of a quantity
}

// compareForm is how rows are printed: as tables for people, unless one of these is asked for.
type compareForm struct {
	json, csv bool
	report    string // "" is none
}

func (f *compareForm) add(flags *pflag.FlagSet) {
	addJSON(flags, &f.json)
	flags.BoolVar(&f.csv, "csv", false, "print the rows as CSV to standard output and nothing else")
	flags.StringVar(&f.report, "report", "", "also write an HTML page to a `FILE`: tables, accuracies with intervals, "+
		"critical-difference diagrams, frequency of features, run time")
}

// check refuses what makes no sense; files are those that a report must not replace.
func (f compareForm) check(files ...string) error {
	if f.json && f.csv {
		return errs.New(errs.Request, "choose one of them", "both --json and --csv")
	}
	return f.checkReport(files...)
}

// print prints the rows as they were asked for, and writes the report.
func (f compareForm) print(out io.Writer, plan *study.Plan, rows []study.Row) error {
	if err := f.writeReport(plan, rows); err != nil {
		return err
	}
	switch {
	case f.csv:
		return study.WriteCSV(out, rows)
	case !f.json:
		return printComparison(out, plan, rows)
	}
	r := compareReport{
		K: plan.K, Splits: plan.Splits, Seed: plan.Settings.Seed, Protocol: plan.Settings.Protocol, Planned: len(plan.Cells()),
		Rows: rows, Summary: study.Summarize(plan, rows),
	}
	if rows == nil {
		r.Rows = []study.Row{}
	}
	for _, d := range plan.Data {
		r.Datasets = append(r.Datasets, comparedData{d.Name, d.N, d.D, d.Classes})
	}
	for _, m := range plan.Methods {
		r.Methods = append(r.Methods, m.Name)
	}
	return printJSON(out, r)
}

// checkReport refuses a page that could not be written, or would replace one of these files.
func (f compareForm) checkReport(others ...string) error {
	if f.report == "" {
		return nil
	}
	for _, other := range others {
		if f.report == other || sameFile(f.report, other) {
			return errs.New(errs.Request, "name another file", "--report %s is also %s", f.report, other)
		}
	}
	return checkOutput(f.report)
}

// writeReport writes the page of rows.
func (f compareForm) writeReport(plan *study.Plan, rows []study.Row) error {
	if f.report == "" {
		return nil
	}
	sections, err := compareSections(plan, rows)
	if err != nil {
		return err
	}
	text, err := report.Results("FsNet comparison", sections, system.Version(), system.Libraries())
	if err != nil {
		return err
	}
	return errs.NotWritten(system.WriteFile(f.report, text))
}

// mostFrequent is how many features a picture of frequencies has.
const mostFrequent = 25

// compareSections are what a page says of rows, from these alone: a section for each data set and K with the table of the methods, accuracies
// with their intervals beside run times, the critical-difference diagram, and how often features were chosen.
func compareSections(plan *study.Plan, rows []study.Row) ([]report.Section, error) {
	var sections []report.Section
	for _, t := range study.Summarize(plan, rows) {
		picture, err := chart.Comparison(t)
		if err != nil {
			return nil, err
		}
		frequency, err := chart.Frequency(drawableFrequencies(plan, rows, t))
		if err != nil {
			return nil, err
		}
		intervals := "Intervals are wider for splits that share rows (Nadeau, Bengio 2003)."
		if plan.OneSplit() {
			intervals = "No intervals and no p: " + oneSplitText
		}
		s := report.Section{
			Title: fmt.Sprintf("%s, K = %d", t.Dataset, t.K), Pictures: []chart.Picture{chart.ComparisonTable(t), picture, frequency},
			Text: []string{fmt.Sprintf("%s, seeds %d to %d. %s", plan.Divided(), plan.Settings.Seed,
				plan.Settings.Seed+int64(plan.Splits)-1, intervals)},
		}
		if t.Ranking == nil {
			s.Text = append(s.Text, "No mean ranks: they take two methods and two splits on which all of them have figures, and forty "+
				"methods at the most.")
		}
		sections = append(sections, s)
	}
	if missing := plan.Missing(rows); missing != "" && len(sections) > 0 {
		sections[0].Text = append(sections[0].Text, missing+".")
	}
	return sections, nil
}

func drawableFrequencies(plan *study.Plan, rows []study.Row, t results.Table) chart.Frequencies {
	f := chart.Frequencies{Dataset: t.Dataset, K: t.K}
	methods, splits, features := study.Frequencies(plan, rows, t.Dataset, t.K)
	for i, m := range methods {
		f.Methods = append(f.Methods, chart.FrequencyMethod{Method: m, Splits: splits[i]})
	}
	f.Left = max(0, len(features)-mostFrequent)
	for _, g := range features[:len(features)-f.Left] {
		f.Features = append(f.Features, chart.FrequencyFeature(g))
	}
	return f
}

// printComparison prints a table for each data set and K.
func printComparison(out io.Writer, plan *study.Plan, rows []study.Row) error {
	for _, d := range plan.Data {
		fmt.Fprintf(out, "%s: %s, %s\n", d.Name, phrase.Table(d.N, d.D), labelText(d.Classes, plan.Settings.Regression()))
	}
	first, last := plan.Settings.Seed, plan.Settings.Seed+int64(plan.Splits)-1
	fmt.Fprintf(out, "%s, seeds %d to %d%s, %.4g of the rows for testing; fsnet: %s protocol (%s)%s\n", plan.Divided(), first, last,
		splitSeedText(first, plan.Settings.RowsSeed()), plan.TestFraction(plan.Data[0]), plan.Settings.Protocol, plan.Settings.Trainer(), unlessNamed(plan))
	judged, own := "SVM accuracy", "own "+plan.Metric().Name()
	legend := "SVM accuracy: of a support vector machine on the selected features of the test rows"
	if plan.Settings.Regression() {
		judged = "R²"
		legend = "R²: of a kernel ridge regression on the selected features of the test rows"
	}
	for _, table := range study.Summarize(plan, rows) {
		fmt.Fprintf(out, "\n%s, K = %d\n", table.Dataset, table.K)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "method\t%s\t95 %%\t%s\tredundancy\tJaccard\tstability\tkB\tseconds\tagainst %s\tbetter/equal/worse\tp\n",
			judged, own, cmp.Or(table.Reference, study.FsNet))
		best := bestOf(table.Entries)
		for _, e := range table.Entries {
			fmt.Fprintln(w, strings.Join(append([]string{methodText(e, plan.Splits)}, cellsOf(table.Metric, e, best)...), "\t"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	interval := "95 %: interval of the mean, wider for splits that share rows."
	p := " p: Wilcoxon's signed-rank test of the\n" + figuresOf(plan.Judge()) + ", split by split; splits share rows, so it is too small."
	if plan.OneSplit() {
		interval, p = "No intervals and no p: "+oneSplitText, ""
	}
	_, err := fmt.Fprintf(out, "\n* the best. %s, mean ± standard deviation.\n%s Redundancy: mutual information between the selected, bits.\n"+
		"Stability: Nogueira's, 1 where all splits give the same features, 0 as alike as chance.%s\n", legend, interval, p)
	return err
}

// figuresOf names those of a judge.
func figuresOf(judge string) string {
	if judge == study.KernelRidge {
		return "kernel ridge's R²"
	}
	return "SVM accuracies"
}

// unlessNamed says that the options' protocol is not that of every FsNet.
func unlessNamed(plan *study.Plan) string {
	if slices.ContainsFunc(plan.Methods, func(m study.Method) bool { return strings.Contains(m.Name, ":protocol=") }) {
		return " where its name has no other"
	}
	return ""
}

// methodText names a method, and says where its figures are not of all splits.
func methodText(e results.Entry, splits int) string {
	text := e.Method
	if done := e.Splits + e.Failed; done < splits {
		text += fmt.Sprintf(" (%d of %s)", done, phrase.Count(splits, "split"))
	}
	if e.Failed > 0 {
		text += fmt.Sprintf(" (%d failed)", e.Failed)
	}
	return text
}

// bestFigures is the best figure of a table's columns; nil where there is none.
type bestFigures struct{ score, own, redundancy, stability *float64 }

func bestOf(entries []results.Entry) bestFigures {
	var b bestFigures
	keep := func(target **float64, x, sign float64) {
		if *target == nil || sign*x > sign**(*target) {
			*target = &x
		}
	}
	for _, e := range entries {
		if e.Score != nil {
			keep(&b.score, e.Score.Mean, 1)
		}
		if e.Own != nil {
			keep(&b.own, e.Own.Mean, 1)
		}
		if e.MutualInformation != nil {
			keep(&b.redundancy, e.MutualInformation.Mean, -1)
		}
		if e.Agreement != nil {
			keep(&b.stability, e.Agreement.Nogueira, 1)
		}
	}
	return b
}

// cellsOf are the figures of a method as text, "-" where there is none.
func cellsOf(of session.Metric, e results.Entry, b bestFigures) []string {
	mark := func(text string, x float64, best *float64) string {
		if best != nil && x == *best {
			return text + "*"
		}
		return text
	}
	spread := func(s *metric.Spread, best *float64) string {
		if s == nil {
			return "-"
		}
		return mark(fmt.Sprintf("%.3f ± %.3f", s.Mean, s.SD), s.Mean, best)
	}
	mean := func(s *metric.Spread, format string) string {
		if s == nil {
			return "-"
		}
		return fmt.Sprintf(format, s.Mean)
	}
	cells := []string{spread(e.Score, b.score), "-", spread(e.Own, b.own), "-", "-", "-", mean(e.ModelKB, "%.4g"),
		mean(e.Seconds, "%.2f"), "-", "-", "-"}
	if low, high, ok := e.Score.Interval(); ok {
		if !of.Quantity() {
			low = max(low, 0)
		}
		cells[1] = fmt.Sprintf("%.3f to %.3f", low, min(high, 1))
	}
	if s := e.MutualInformation; s != nil {
		cells[3] = mark(fmt.Sprintf("%.3f", s.Mean), s.Mean, b.redundancy)
	}
	if s := e.Agreement; s != nil {
		// + 0: no -0.00
		cells[4], cells[5] = fmt.Sprintf("%.2f", s.Jaccard), mark(fmt.Sprintf("%.2f", math.Round(s.Nogueira*100)/100+0), s.Nogueira, b.stability)
	}
	if p := e.AgainstFsNet; p != nil {
		cells[8], cells[9], cells[10] = fmt.Sprintf("%+.3f", p.Difference), fmt.Sprintf("%d/%d/%d", p.Better, p.Equal, p.Worse), words.PValue(p.P)
	}
	return cells
}
