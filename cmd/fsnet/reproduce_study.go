package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/study"
)

// paperStudy is a comparison whose rows are those of tables.
type paperStudy struct {
	table   string // table1, whose rows table2 and the figures take too, or table3
	file    string // of the rows, in the folder
	k       []int
	methods []study.Method
	data    []paperData
	plan    *study.Plan // nil: all data are missing
	rows    []study.Row
	curves  []curve
	trained map[entryKey]int // parameters that the networks of table 2 learn
}

// paperMethods are those of a table of the paper, with FsNet by every protocol that there is.
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

// studies are the comparisons that the target asks for.
func (o reproduceOptions) studies(ctx context.Context, options config.Config) ([]*paperStudy, error) {
	known := append(publishedRows(published(), "table1"), publishedRows(published(), "table3")...)
	files, err := o.chosen(known)
	if err != nil {
		return nil, err
	}
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	var list []*paperStudy
	if o.wants("table1") || o.wants("table2") || o.wants("figures") {
		list = append(list, &paperStudy{table: "table1", file: "rows.jsonl", k: []int{10, 50}})
	}
	if o.wants("table3") {
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

// first is the K of table 2 and of the figures, which are of the smallest: 10 in the paper.
func (s *paperStudy) first() int { return slices.Min(s.k) }

// asked is whether what the target measures needs a cell.
func (s *paperStudy) asked(o reproduceOptions, c study.Row) bool {
	if o.wants(s.table) {
		return true
	}
	column := paperColumn(s.table, c.Method)
	network := (column == "FsNet" || column == "CAE") && c.K == s.first()
	return o.wants("figures") && (network || s.drawn(c) || column == "SVM")
}

// make makes what is missing of what the target asks for.
func (s *paperStudy) make(ctx context.Context, o reproduceOptions, on *device.Device, messages io.Writer) error {
	if s.plan == nil {
		return nil
	}
	var ids []string
	for _, c := range s.plan.Cells() {
		if c.Device = on.Name; s.asked(o, c) {
			ids = append(ids, c.ID())
		}
	}
	if err := s.plan.Choose(on.Name, ids); err != nil {
		return err
	}
	var err error
	if s.table == "table1" && o.wants("table2") {
		if s.trained, err = s.counted(ctx, on); err != nil || len(ids) == 0 {
			return err
		}
	}
	how := rowOptions{output: filepath.Join(o.dir, s.file), quiet: o.quiet, lines: o.lines}
	s.rows, err = how.make(ctx, s.plan, on.Name, onDevice(on), messages, func(c study.Row) string {
		return fmt.Sprintf("%s, %s, K = %d, split %d", c.Dataset, c.Method, c.K, c.Split)
	})
	if err == nil && s.table == "table1" && o.wants("figures") {
		s.curves, err = s.draw(ctx, o, on, messages)
	}
	return err
}

// of is the paper's name of a data set.
func (s *paperStudy) of(data string) string {
	for _, f := range s.data {
		if f.data != nil && f.data.Name == data {
			return f.name
		}
	}
	return data
}

// paperColumn is the paper's column for a method; "" is none.
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
