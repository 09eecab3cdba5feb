package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/installation"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

// compareReport is what fsnet compare --json and fsnet compare merge --json print.
type compareReport struct {
	Datasets []comparedData `json:"datasets"` // what was compared on
	Methods  []string       `json:"methods"`  // names of the methods, with their settings
	K        []int          `json:"k"`        // numbers of features to select
	Splits   int            `json:"splits"`   // of each data set
	Seed     int64          `json:"seed"`     // of the first split
	Protocol string         `json:"protocol"` // FsNet's
	Planned  int            `json:"planned"`  // rows; fewer are there after an interruption
	Rows     []study.Row    `json:"rows"`     // one for each method, K and split of each data set
	Summary  []study.Table  `json:"summary"`  // one table for each data set and K
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
		return fault.New(fault.Request, "choose one of them", "both --json and --csv")
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
			return fault.New(fault.Request, "name another file", "--report %s is also %s", f.report, other)
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
	text, err := report.Results("FsNet comparison", sections, installation.Version(), installation.Libraries())
	if err != nil {
		return err
	}
	return fault.NotWritten(atomicfile.Write(f.report, text))
}

// mostFrequent is how many features a picture of frequencies has.
const mostFrequent = 25

// compareSections are what a page says of rows, from these alone: a section for each data set and K with the table of the methods, accuracies
// with their intervals beside run times, the critical-difference diagram, and how often features were chosen.
func compareSections(plan *study.Plan, rows []study.Row) ([]report.Section, error) {
	var sections []report.Section
	for _, t := range study.Summarize(plan, rows) {
		c, err := drawableTable(t)
		if err != nil {
			return nil, err
		}
		picture, err := chart.Comparison(c)
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
			Title: fmt.Sprintf("%s, K = %d", t.Dataset, t.K), Pictures: []chart.Picture{chart.ComparisonTable(c), picture, frequency},
			Text: []string{fmt.Sprintf("%s, seeds %d to %d. %s", plan.Divided(), plan.Settings.Seed,
				plan.Settings.Seed+int64(plan.Splits)-1, intervals)},
		}
		if c.Ranking == nil {
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

// drawableTable is a table as package trials takes it, which is how it is written as JSON.
func drawableTable(t study.Table) (c chart.Compared, err error) {
	text, err := json.Marshal(t)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		err = fault.Wrap(err, fault.Failed, "this is a defect: report it", "the table of %s", t.Dataset)
	}
	return c, err
}

func drawableFrequencies(plan *study.Plan, rows []study.Row, t study.Table) chart.Frequencies {
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
