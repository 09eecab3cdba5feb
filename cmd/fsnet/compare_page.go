package main

import (
	"encoding/json"
	"fmt"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/internal/installation"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/report"
)

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
func (f compareForm) writeReport(plan *compare.Plan, rows []compare.Row) error {
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
func compareSections(plan *compare.Plan, rows []compare.Row) ([]report.Section, error) {
	var sections []report.Section
	for _, t := range compare.Summarize(plan, rows) {
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
func drawableTable(t compare.Table) (c chart.Compared, err error) {
	text, err := json.Marshal(t)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		err = fault.Wrap(err, fault.Failed, "this is a defect: report it", "the table of %s", t.Dataset)
	}
	return c, err
}

func drawableFrequencies(plan *compare.Plan, rows []compare.Row, t compare.Table) chart.Frequencies {
	f := chart.Frequencies{Dataset: t.Dataset, K: t.K}
	methods, splits, features := compare.Frequencies(plan, rows, t.Dataset, t.K)
	for i, m := range methods {
		f.Methods = append(f.Methods, chart.FrequencyMethod{Method: m, Splits: splits[i]})
	}
	f.Left = max(0, len(features)-mostFrequent)
	for _, g := range features[:len(features)-f.Left] {
		f.Features = append(f.Features, chart.FrequencyFeature(g))
	}
	return f
}
