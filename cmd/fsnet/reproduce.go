package main

import (
	"cmp"
	"context"
	_ "embed" // the figures
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// reproduceTargets lists the parts of the paper that the command can reproduce.
func reproduceTargets() []string { return []string{"table1", "table2", "table3", "figures", "all"} }

type reproduceOptions struct {
	progressFlags
	target  string
	data    []string
	methods string
	k       []int
	splits  int
	seed    int64
	backend string
	dir     string
	command string // command that makes the report again
}

// reproductionFile is the report's name in the folder.
const reproductionFile = "reproduction.html"

// newReproduceCommand returns fsnet reproduce.
func newReproduceCommand() *cobra.Command {
	o := reproduceOptions{splits: 20, seed: 101, backend: "auto"}
	c := &cobra.Command{
		Use:   "reproduce table1|table2|table3|figures|all -o DIR",
		Short: "Measure what FsNet's paper reports, and show both side by side",
		Long: "Measure what FsNet's paper reports, and show both side by side.\n\n" +
			"table1: accuracies of all methods with 10 and 50 features; table2: sizes of the models; table3: accuracies on the\n" +
			"metagenome; figures: accuracies and reconstruction error over the epochs, mutual information between the selected\n" +
			"features; all: everything.\n\n" +
			"fsnet data list finds the data sets and fsnet data get fetches them; --data NAME=FILE names another file, or\n" +
			"the metagenome's (table3). The tables name the data sets that are missing.\n\n" +
			"It writes rows.jsonl (metagenome.jsonl for table3), the curves and reproduction.html into the --output folder. Run the same\n" +
			"command again to continue where it stopped, also with more splits, methods or data; figures that are there do not change.\n" +
			"Splits are random halves, as in the paper, with the seeds --seed … --seed + S − 1.",
		Example: "  fsnet reproduce table1 -o paper\n" +
			"  fsnet reproduce all --splits 5 --data ALLAML,GLIOMA=~/GLIOMA.mat --methods fsnet:protocol=paper,cae-supervised,mrmr -o paper",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errs.New(errs.Request, "name one of "+strings.Join(reproduceTargets(), ", "), "nothing to reproduce is named")
			}
			if len(args) != 1 || !slices.Contains(reproduceTargets(), args[0]) {
				given := strings.Join(args, " ")
				remedy := phrase.DidYouMean(given, reproduceTargets())
				return errs.New(errs.Request, remedy, "%q cannot be reproduced", given)
			}
			o.target, o.command = args[0], "fsnet reproduce "+args[0]
			c.Flags().Visit(func(f *pflag.Flag) {
				if !slices.Contains([]string{"output", "quiet", "progress"}, f.Name) {
					o.command += " --" + f.Name + " " + phrase.Word(strings.Trim(f.Value.String(), "[]"))
				}
			})
			o.command += " -o FOLDER"
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
	o.addProgress(f, "as fsnet compare does")
	return c
}

// includes reports whether the target includes a part of the paper.
func (o reproduceOptions) includes(target string) bool {
	return o.target == target || o.target == "all"
}

// runReproduce makes the rows and curves of the target and writes the report.
// It writes the report even if it is interrupted after the first row. It
// returns the error that ended it, or says which rows failed.
func runReproduce(ctx context.Context, o reproduceOptions, out, messages io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}

	if o.dir == "" {
		return errs.New(errs.Request, "name a folder, as in: fsnet reproduce "+o.target+" -o paper",
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

	held, err := o.lockFolder()
	if err != nil {
		return err
	}
	defer releaseLock(held)

	on, err := device.Open(ctx, o.backend)
	if err != nil {
		return err
	}
	defer on.Close()

	var runErr error
	for _, s := range studies {
		if runErr = s.makeMissing(ctx, o, on, messages); runErr != nil {
			break
		}
	}

	if runErr != nil && !slices.ContainsFunc(studies, func(s *paperStudy) bool { return len(s.rows) > 0 }) {
		return runErr
	}

	if err := o.writeReport(studies, on.Name, out); err != nil {
		return err
	}

	for _, s := range studies {
		runErr = cmp.Or(runErr, failedCells(s.rows, "the same command makes them again"))
	}
	return runErr
}

// lockFolder creates the folder, checks that the report can be written, and locks the
// folder for this process. The caller must call releaseLock.
func (o reproduceOptions) lockFolder() (*system.Lock, error) {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return nil, errs.Wrap(system.Reason(err), errs.Request, "name a folder that you may write to", "the folder %s cannot be made",
			o.dir)
	}
	if err := reproductionPage(filepath.Join(o.dir, reproductionFile)).Check(nil); err != nil {
		return nil, err
	}
	return takeLock(filepath.Join(o.dir, ".lock"), "the folder "+o.dir)
}

func reproductionPage(path string) output.File { return output.File{Path: path, Verb: "reproduce"} }

// paperStudy is a comparison that makes the rows of one of the paper's tables.
type paperStudy struct {
	table   string // table1, whose rows serve table 2 and the figures, too, or table3
	file    string // file of the rows, in the folder
	k       []int
	methods []study.Method
	data    []paperData
	plan    *study.Plan // nil if all data are missing
	rows    []study.Row
	curves  []curve
	trained map[entryKey]int // parameters that the networks of table 2 learn
}

// paperMethods returns the methods of a table as [study.Methods] reads them,
// with FsNet under every protocol.
func paperMethods(table string) string {
	var list []string
	for _, p := range config.Protocols() {
		if p != config.Protocols()[0] {
			list = append(list, study.FsNet+":protocol="+p)
		}
	}
	list = append(list, study.FsNet, "cae-supervised")
	if table == "table3" {
		return strings.Join(append(list, "hsic-lasso-block:b=10", "hsic-lasso-block:b=20", "mrmr", "svm", "dietnet"), ",")
	}
	return strings.Join(append(list, "hsic-lasso", "mrmr", "svm", "dietnet"), ",")
}

// studies returns the comparisons that the target needs, each with the data
// sets of its table. If all data of a study are missing, it has no plan.
func (o reproduceOptions) studies(ctx context.Context, options config.Config) ([]*paperStudy, error) {
	known := append(publishedRows(published(), "table1"), publishedRows(published(), "table3")...)
	files, err := o.requested(known)
	if err != nil {
		return nil, err
	}
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}

	var list []*paperStudy
	if o.includes("table1") || o.includes("table2") || o.includes("figures") {
		list = append(list, &paperStudy{table: "table1", file: "rows.jsonl", k: []int{10, 50}})
	}
	if o.includes("table3") {
		list = append(list, &paperStudy{table: "table3", file: "metagenome.jsonl", k: []int{50, 100}})
	}

	for _, s := range list {
		if o.k != nil {
			s.k = o.k
		}
		if s.methods, err = study.Methods(cmp.Or(o.methods, paperMethods(s.table))); err != nil {
			return nil, err
		}

		var data []*dataset.Dataset

		for _, name := range publishedRows(published(), s.table) {
			path, asked := files[name]
			if files != nil && !asked {
				s.data = append(s.data, paperData{name: name, remark: "left out: --data does not name it"})
				continue
			}
			f, err := findData(ctx, settings, name, path)
			if err != nil {
				return nil, err
			}
			if s.data = append(s.data, f); f.data != nil {
				data = append(data, f.data)
			}
		}

		if len(data) == 0 {
			continue
		}
		if s.plan, err = study.New(data, options, s.methods, s.k, o.splits); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// smallestK returns the smallest K. Table 2 and the figures use it. It is 10 in
// the paper.
func (s *paperStudy) smallestK() int { return slices.Min(s.k) }

// needs reports whether the target needs a cell.
func (s *paperStudy) needs(o reproduceOptions, c study.Row) bool {
	if o.includes(s.table) {
		return true
	}
	column := paperColumn(s.table, c.Method)
	network := (column == "FsNet" || column == "CAE") && c.K == s.smallestK()
	return o.includes("figures") && (network || s.hasCurve(c) || column == "SVM")
}

// makeMissing makes the target's missing rows and curves. If there is no plan, it does
// nothing. With an error, rows holds those made so far.
func (s *paperStudy) makeMissing(ctx context.Context, o reproduceOptions, on *device.Device, messages io.Writer) error {
	if s.plan == nil {
		return nil
	}

	var ids []string
	for _, c := range s.plan.Cells() {
		if c.Device = on.Name; s.needs(o, c) {
			ids = append(ids, c.ID())
		}
	}

	if err := s.plan.Choose(on.Name, ids); err != nil {
		return err
	}

	var err error
	if s.table == "table1" && o.includes("table2") {
		if s.trained, err = s.countParameters(ctx, on); err != nil || len(ids) == 0 {
			return err
		}
	}

	how := rowOptions{output: filepath.Join(o.dir, s.file), progressFlags: o.progressFlags}
	s.rows, err = how.makeRows(ctx, s.plan, on.Name, onDevice(on), messages, datasetWords)
	if err == nil && s.table == "table1" && o.includes("figures") {
		s.curves, err = s.makeCurves(ctx, o, on, messages)
	}
	return err
}

// paperName returns the paper's name of a data set. If the data set isn't the
// paper's, it returns data.
func (s *paperStudy) paperName(data string) string {
	for _, f := range s.data {
		if f.data != nil && f.data.Name == data {
			return f.name
		}
	}
	return data
}

// paperColumn returns the paper's column for a method, or "".
func paperColumn(table, method string) string {
	word, _, _ := strings.Cut(method, ":")
	if table == "table3" {
		switch {
		case method == "hsic-lasso-block:b=10" || method == "hsic-lasso-block:b=20":
			return "HSIC Lasso (B=" + method[len(method)-2:] + ")"
		case word == "hsic-lasso":
			return ""
		case word == "dietnet":
			return "Diet-networks"
		}
	}
	return map[string]string{
		study.FsNet: "FsNet", study.FsNetPath: "FsNet", "cae-supervised": "CAE", "hsic-lasso": "HSIC",
		"mrmr": "mRMR", "svm": "SVM", "dietnet": "Diet-net",
	}[word]
}

// paperData is a data set of the paper.
type paperData struct {
	name   string           // as the paper has it
	data   *dataset.Dataset // nil if it is missing
	remark string           // why it is missing, or how it differs from the paper's
}

// paperFile returns the path of a data set, or "" if it isn't here. A built-in
// data set needs no file.
func paperFile(name string) string {
	if slices.ContainsFunc(dataset.Builtins(), func(b dataset.Builtin) bool { return b.Name == name }) {
		return name
	}
	return collectedAt(name)
}

// requested returns the files of the data sets that --data names, by data set.
// It returns nil if --data is not given.
func (o reproduceOptions) requested(all []string) (map[string]string, error) {
	if o.data == nil {
		return nil, nil
	}
	files := map[string]string{}
	for _, text := range o.data {
		name, path, _ := strings.Cut(strings.TrimSpace(text), "=")
		if !slices.Contains(all, name) {
			return nil, errs.New(errs.Request, phrase.DidYouMean(name, all), "the paper has no data set %.40q", name)
		}
		if _, twice := files[name]; twice {
			return nil, errs.New(errs.Request, "name it once", "--data names %s twice", name)
		}
		files[name] = path
	}
	return files, nil
}

// findData finds and reads a data set of the paper. Without a path it looks in
// the usual places. If the data set isn't there, that is no error: data is nil
// and remark says so. It fails if path names a file that can't be read.
func findData(ctx context.Context, settings config.Settings, name, path string) (paperData, error) {
	f := paperData{name: name}
	if path == "" {
		if path = paperFile(name); path == "" {
			f.remark = "not here"
			return f, nil
		}
	}

	settings.Data = path
	var err error
	if f.data, err = dataset.Open(ctx, settings, ""); err != nil {
		return f, err
	}

	classes, n, d := paperShape(published(), name)
	if len(f.data.Classes) != classes || f.data.N != n || f.data.D != d {
		f.remark = fmt.Sprintf("not the paper's: %s in %s, and in the paper %d × %d in %d",
			phrase.Table(f.data.N, f.data.D), phrase.Count(len(f.data.Classes), "class"), n, d, classes)
	}
	return f, nil
}

// publishedText holds every figure of the paper's tables, as printed. The lines
// "text" come from the running text.
//
//go:embed published.csv
var publishedText string

// paperFigure is a figure that the paper prints.
type paperFigure struct {
	Table, Row, Column string
	K                  int      // 0 if the paper names none: for all features, or a fact about the data
	Value              *float64 // nil means N/A: the paper's authors couldn't run the method
	SD                 *float64 // only table 3 has it
}

// published parses publishedText.
func published() []paperFigure {
	lines, err := csv.NewReader(strings.NewReader(publishedText)).ReadAll()
	if err != nil {
		panic(err) // the program contains the file
	}
	number := func(text string) *float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		return &v
	}
	var list []paperFigure
	for _, l := range lines[1:] {
		f := paperFigure{Table: l[0], Row: l[1], Column: l[2], Value: number(l[4]), SD: number(l[5])}
		if k := number(l[3]); k != nil {
			f.K = int(*k)
		}
		list = append(list, f)
	}
	return list
}

// findPublished returns the figure of a cell, or nil if the paper has none.
func findPublished(list []paperFigure, table, row, column string, k int) *paperFigure {
	index := slices.IndexFunc(list, func(f paperFigure) bool { return f.Table == table && f.Row == row && f.Column == column && f.K == k })
	if index < 0 {
		return nil
	}
	return &list[index]
}

// publishedRows lists the rows of a table in the paper's order.
func publishedRows(list []paperFigure, table string) (rows []string) {
	for _, f := range list {
		if f.Table == table && !slices.Contains(rows, f.Row) {
			rows = append(rows, f.Row)
		}
	}
	return rows
}

// paperShape returns the numbers of classes, rows and features that the paper
// gives for a data set. It returns 0 for a number that the paper doesn't give.
func paperShape(list []paperFigure, row string) (classes, n, d int) {
	of := func(column string) int {
		for _, table := range []string{"datasets", "text"} {
			if f := findPublished(list, table, row, column, 0); f != nil {
				return int(*f.Value)
			}
		}
		return 0
	}
	return of("Classes"), of("Sample Size"), of("Dimensions")
}
