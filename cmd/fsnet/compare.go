package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/report"
)

// methodFlags are the options that say which methods select how many features.
type methodFlags struct {
	config  config.Config
	methods string
	k       []int
}

// register adds --methods, --k and the keys of a training, except the keys in but.
func (m *methodFlags) register(flags *pflag.FlagSet, but ...string) {
	addKeys(flags, &m.config, append(but, "k")...)
	flags.StringVar(&m.methods, "methods", "all", "methods, `NAMES` separated by commas: all, or any of "+strings.Join(study.MethodNames()[1:], ", ")+
		", with settings after a colon, as in fsnet:protocol=paper")
	flags.Var(countsFlag(&m.k, "k"), "k", "numbers of features to select, separated by commas")
}

// compareWhat holds the options that say what to compare.
type compareWhat struct {
	methodFlags
	splits  int
	folds   int // of cross-validation; 0 for none
	repeats int
	halves  *pflag.Flag // --splits
}

func newCompareWhat() compareWhat {
	return compareWhat{methodFlags: methodFlags{k: []int{10}}, splits: 20, repeats: 1}
}

// register adds the options that say what to compare. Their defaults are the values
// in w.
func (w *compareWhat) register(flags *pflag.FlagSet) {
	w.methodFlags.register(flags, "data")
	flags.Var(countFlag(&w.splits, "splits", study.MaxSplits), "splits", "compare on `S` splits, with the seeds seed … seed + S − 1")
	w.halves = flags.Lookup("splits")
	addFoldFlags(flags, &w.folds, &w.repeats)
}

// plan reads the data sets with these names and plans the comparison of the
// options.
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

// newCompareCommand returns fsnet compare, with plan, run and merge below it.
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
	o.compareWhat.register(c.Flags())
	o.compareForm.register(c.Flags())
	o.rowOptions.register(c.Flags())
	c.AddCommand(planCommands(study.Comparison)...)
	return c
}

// runCompare makes the rows of the named data sets and prints them. If it is
// interrupted, it prints the rows made so far and returns the error.
func runCompare(ctx context.Context, o compareOptions, names []string, out, messages io.Writer) error {
	if err := cmp.Or(o.check(), o.checkForm(), checkOutputs(inputs(o.config, names...), o.file(), o.page())); err != nil {
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

	var looks looked
	made, runErr := o.makeRows(ctx, plan, device.Name, looks.counting(onDevice(device)), messages, cellWords)
	if o.looks = looks.text(); !o.json {
		looks.print(messages, o.quiet)
	}
	return deliver(made, runErr, func() error { return o.print(out, plan, made) })
}

// cellWords describes the cell being made.
func cellWords(cell study.Row) string {
	return fmt.Sprintf("%s, K = %d, split %d", cell.Method, cell.K, cell.Split)
}

// datasetWords describes the cell being made if there are several data sets.
func datasetWords(cell study.Row) string { return cell.Dataset + ", " + cellWords(cell) }

// compareReport is the object that fsnet compare --json and fsnet compare merge
// --json print.
type compareReport struct {
	Datasets []comparedData  `json:"datasets"` // the data sets compared on
	Methods  []string        `json:"methods"`  // names of the methods, with their settings
	K        []int           `json:"k"`        // numbers of features to select
	Splits   int             `json:"splits"`   // of each data set
	Seed     int64           `json:"seed"`     // of the first split
	Protocol string          `json:"protocol"` // FsNet's
	Planned  int             `json:"planned"`  // rows; after an interruption there are fewer
	Rows     []study.Row     `json:"rows"`     // one for each method, K and split of each data set
	Summary  []results.Table `json:"summary"`  // one table for each data set and K
	// how often the test rows were looked at, in words; left out if that was the first time
	Looks string `json:"looks,omitempty"`
}

type comparedData struct {
	Name    string   `json:"name"`    // of the data set
	N       int      `json:"n"`       // rows (samples)
	D       int      `json:"d"`       // features
	Classes []string `json:"classes"` // names of the classes, or the ranges of a quantity
}

// compareForm selects how to print rows. They are printed as text unless json
// or csv is set.
type compareForm struct {
	json, csv bool
	report    string // file of the HTML page; "" writes none
	looks     string // see compareReport
}

// register adds --json, --csv and --report.
func (f *compareForm) register(flags *pflag.FlagSet) {
	addJSON(flags, &f.json)
	flags.BoolVar(&f.csv, "csv", false, "print the rows as CSV to standard output and nothing else")
	flags.StringVar(&f.report, "report", "", "also write an HTML page to a `FILE`: tables, accuracies with intervals, "+
		"critical-difference diagrams, frequency of features, run time")
}

// checkForm rejects contradictory options.
func (f compareForm) checkForm() error {
	if f.json && f.csv {
		return errs.New(errs.Request, "choose one of them", "both --json and --csv")
	}
	return nil
}

// print writes the page of --report, and then prints the rows in the selected
// form.
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
		Rows: rows, Summary: study.Summarize(plan, rows), Looks: f.looks,
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

// writeReport writes the HTML page of --report. Without the option it does
// nothing.
func (f compareForm) writeReport(plan *study.Plan, rows []study.Row) error {
	if f.report == "" {
		return nil
	}
	sections, err := compareSections(plan, rows)
	if err != nil {
		return err
	}
	return writeResults(f.page(), "FsNet comparison", sections)
}

// page returns the file of --report.
func (f compareForm) page() output.File {
	return output.File{Flag: "--report", Path: f.report, Verb: "compare"}
}

// writeResults writes a page of results to a file. The page has no scripts and
// no links.
func writeResults(file output.File, title string, sections []report.Section) error {
	page, err := report.Results(title, sections, system.Version(), system.Libraries())
	if err != nil {
		return err
	}
	return file.Write(nil, page)
}

// mostFrequent is the number of features in a picture of frequencies.
const mostFrequent = 25

// compareSections returns the sections of a page about rows. For each data set
// and K they show the table of the methods, accuracies with their intervals
// next to run times, the critical-difference diagram, and how often features
// were chosen.
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
			s.Text = append(s.Text, "No mean ranks: they need at least two splits on which all methods have figures, and two to forty "+
				"methods.")
		}

		sections = append(sections, s)
	}

	if missing := plan.Missing(rows); missing != "" && len(sections) > 0 {
		sections[0].Text = append(sections[0].Text, missing+".")
	}
	return sections, nil
}

// drawableFrequencies returns how often each method chose the most frequent
// features of a table, at most mostFrequent of them. Left counts the others.
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

// printComparison prints the data sets, a table for each data set and K, and a
// legend. It fails only if out does.
func printComparison(out io.Writer, plan *study.Plan, rows []study.Row) error {
	for _, d := range plan.Data {
		fmt.Fprintf(out, "%s: %s, %s\n", d.Name, d.Size(), labelText(d.Classes, plan.Settings.Regression()))
	}

	first, last := plan.Settings.Seed, plan.Settings.Seed+int64(plan.Splits)-1
	fmt.Fprintf(out, "%s, seeds %d to %d%s, %.4g of the rows for testing; fsnet: %s protocol (%s)%s\n", plan.Divided(), first, last,
		splitSeedText(first, plan.Settings.RowsSeed()), plan.TestFraction(plan.Data[0]), plan.Settings.Protocol, plan.Settings.Trainer(), protocolNote(plan))

	judged, own := "SVM accuracy", "own "+plan.Metric().Name()
	legend := "SVM accuracy: of a support vector machine on the selected features of the test rows"
	if plan.Settings.Regression() {
		judged = "R²"
		legend = "R²: of a kernel ridge regression on the selected features of the test rows"
	}

	for _, table := range study.Summarize(plan, rows) {
		fmt.Fprintf(out, "\n%s, K = %d\n", table.Dataset, table.K)

		t := words.NewTable("method", ">"+judged, ">95 %", ">"+own, ">redundancy", ">Jaccard", ">stability", ">kB", ">seconds",
			">against "+cmp.Or(table.Reference, study.FsNet), ">better/equal/worse", ">p")

		best := map[int]float64{}
		for _, e := range table.Entries {
			for i, c := range cellsOf(table.Metric, e, plan.Splits) {
				if b, there := best[i]; c.good != nil && (!there || *c.good > b) {
					best[i] = *c.good
				}
			}
		}

		for _, e := range table.Entries {
			var texts []string
			for i, c := range cellsOf(table.Metric, e, plan.Splits) {
				if c.good != nil && *c.good == best[i] {
					c.text += "*"
				}
				texts = append(texts, c.text)
			}
			t.Add(texts...)
		}

		if err := printTable(out, t); err != nil {
			return err
		}
	}

	interval := "95 %: interval of the mean, wider for splits that share rows."
	p := " p: Wilcoxon's signed-rank test of the\n" + judgedFigures(plan.Metric()) + ", split by split; splits share rows, so it is too small."
	if plan.OneSplit() {
		interval, p = "No intervals and no p: "+oneSplitText, ""
	}

	_, err := fmt.Fprintf(out, "\n* the best. %s, mean ± standard deviation.\n%s Redundancy: mutual information between the selected, bits.\n"+
		"Stability: Nogueira's, 1 where all splits give the same features, 0 as alike as chance.%s\n", legend, interval, p)
	return err
}

// judgedFigures names the judge's figures.
func judgedFigures(of session.Metric) string {
	if of.Quantity() {
		return "kernel ridge's R²"
	}
	return "SVM accuracies"
}

// protocolNote adds a note if the name of an FsNet has another protocol.
func protocolNote(plan *study.Plan) string {
	if slices.ContainsFunc(plan.Methods, func(m study.Method) bool { return strings.Contains(m.Name, ":protocol=") }) {
		return " where its name has no other"
	}
	return ""
}

// comparedCell is a figure as text. If the best of its column is marked, it
// also has the value.
type comparedCell struct {
	text string
	good *float64
}

// cellsOf returns the columns of a method: its name, with the number of splits
// if some are missing, and its figures. A missing figure is "-".
func cellsOf(of session.Metric, e results.Entry, splits int) []comparedCell {
	name := e.Method
	if done := e.Splits + e.Failed; done < splits {
		name += fmt.Sprintf(" (%d of %s)", done, phrase.Count(splits, "split"))
	}
	if e.Failed > 0 {
		name += fmt.Sprintf(" (%d failed)", e.Failed)
	}

	figure := func(s *metric.Spread, format string, sign float64) comparedCell {
		if s == nil {
			return comparedCell{text: "-"}
		}
		c := comparedCell{text: fmt.Sprintf(format, s.Mean)}
		if format == "" {
			c.text = spreadText(s)
		}
		if sign != 0 {
			c.good = new(sign * s.Mean)
		}
		return c
	}

	cells := []comparedCell{{text: name}, figure(e.Score, "", 1), {text: "-"}, figure(e.Own, "", 1), figure(e.MutualInformation, "%.3f", -1),
		{text: "-"}, {text: "-"}, figure(e.ModelKB, "%.4g", 0), figure(e.Seconds, "%.2f", 0), {text: "-"}, {text: "-"}, {text: "-"}}

	if low, high, ok := e.Score.Interval(); ok {
		if !of.Quantity() {
			low = max(low, 0)
		}
		cells[2].text = fmt.Sprintf("%.3f to %.3f", low, min(high, 1))
	}

	if s := e.Agreement; s != nil {
		cells[5].text = fmt.Sprintf("%.2f", s.Jaccard)
		cells[6] = comparedCell{fmt.Sprintf("%.2f", math.Round(s.Nogueira*100)/100+0), &s.Nogueira} // + 0: no -0.00
	}

	if p := e.AgainstFsNet; p != nil {
		cells[9].text, cells[10].text = fmt.Sprintf("%+.3f", p.Difference), fmt.Sprintf("%d/%d/%d", p.Better, p.Equal, p.Worse)
		cells[11].text = words.PValue(p.P)
	}

	return cells
}
