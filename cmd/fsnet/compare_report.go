package main

import (
	"io"

	"github.com/spf13/pflag"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
)

// compareReport is what fsnet compare --json and fsnet compare merge --json print.
type compareReport struct {
	Datasets []comparedData  `json:"datasets"` // what was compared on
	Methods  []string        `json:"methods"`  // names of the methods, with their settings
	K        []int           `json:"k"`        // numbers of features to select
	Splits   int             `json:"splits"`   // of each data set
	Seed     int64           `json:"seed"`     // of the first split
	Protocol string          `json:"protocol"` // FsNet's
	Planned  int             `json:"planned"`  // rows; fewer are there after an interruption
	Rows     []compare.Row   `json:"rows"`     // one for each method, K and split of each data set
	Summary  []compare.Table `json:"summary"`  // one table for each data set and K
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
func (f compareForm) print(out io.Writer, plan *compare.Plan, rows []compare.Row) error {
	if err := f.writeReport(plan, rows); err != nil {
		return err
	}
	switch {
	case f.csv:
		return compare.Write(out, rows)
	case !f.json:
		return printComparison(out, plan, rows)
	}
	r := compareReport{
		K: plan.K, Splits: plan.Splits, Seed: plan.Settings.Seed, Protocol: plan.Settings.Protocol, Planned: len(plan.Cells()),
		Rows: rows, Summary: compare.Summarize(plan, rows),
	}
	if rows == nil {
		r.Rows = []compare.Row{}
	}
	for _, d := range plan.Data {
		r.Datasets = append(r.Datasets, comparedData{d.Name, d.N, d.D, d.Classes})
	}
	for _, m := range plan.Methods {
		r.Methods = append(r.Methods, m.Name)
	}
	return printJSON(out, r)
}
