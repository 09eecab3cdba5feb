package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/internal/system"
)

// measuredCell is the accuracy of a method on a data set with one K, next to
// the paper's figure.
type measuredCell struct {
	row, column, method string // row and column are the paper's
	k                   int    // 0 means all features
	splits, failed      int
	ours                *metric.Spread // nil if it was not made
	svm                 *metric.Spread // accuracy of an SVM on the features that FsNet and CAE selected
	paper               *paperFigure   // nil if the paper has no such cell
	remark              string
}

// accuracies returns the cells of table 1 or 3: every data set of the paper
// with every K and method. It omits cells that the paper doesn't have if the
// data set is missing here.
func (s *paperStudy) accuracies() []measuredCell {
	all, list := published(), []measuredCell(nil)
	entries := s.entries()
	for _, f := range s.data {
		for i, k := range append(slices.Clone(s.k), 0) {
			for _, m := range s.methods {
				if m.Selects != (k > 0) {
					continue
				}
				c := measuredCell{row: f.name, column: paperColumn(s.table, m.Name), method: m.Name, k: k, remark: f.remark}
				c.paper = findPublished(all, s.table, f.name, c.column, k)
				if c.paper == nil && f.data == nil {
					continue
				}
				if f.data != nil {
					e := entries[entryKey{f.data.Name, s.k[min(i, len(s.k)-1)], m.Name}]
					c.splits, c.failed, c.ours = e.Splits, e.Failed, e.Score
					if own := c.column == "FsNet" || c.column == "CAE" || m.Name == "dietnet"; own && e.Own != nil {
						c.ours = e.Own
						if m.Selects {
							c.svm = e.Score
						}
					}
				}
				list = append(list, c)
			}
		}
	}
	return list
}

type entryKey struct {
	data   string
	k      int
	method string
}

// entries summarises the rows.
func (s *paperStudy) entries() map[entryKey]results.Entry {
	all := map[entryKey]results.Entry{}
	if s.plan == nil {
		return all
	}
	for _, t := range study.Summarize(s.plan, s.rows) {
		for _, e := range t.Entries {
			all[entryKey{t.Dataset, t.K, e.Method}] = e
		}
	}
	return all
}

// countParameters counts the parameters that the networks of FsNet and CAE
// learn on the first split with the first K. It doesn't train them.
func (s *paperStudy) countParameters(ctx context.Context, on *device.Device) (map[entryKey]int, error) {
	all := map[entryKey]int{}
	for _, c := range s.plan.Cells() {
		column := paperColumn("table2", c.Method)
		if c.Split != 0 || c.K != s.smallestK() || column != "FsNet" && column != "CAE" {
			continue
		}

		key := entryKey{c.Dataset, c.K, c.Method}
		if column == "FsNet" {
			t, err := s.plan.Open(ctx, on, c)
			if err != nil {
				return nil, err
			}
			all[key] = t.Status().ParametersTrained
			t.Close()
			continue
		}

		at := slices.IndexFunc(s.data, func(f paperData) bool { return f.data != nil && f.data.Name == c.Dataset })
		settings := s.plan.Settings
		settings.Seed, settings.K = c.Seed, 1

		p, err := dataset.PrepareContext(ctx, s.data[at].data, settings)
		if err != nil {
			return nil, err
		}
		all[key] = deep.SupervisedCAE{}.Trained(c.K, len(p.Kept), len(p.Classes))
		p.Close()
	}
	return all, nil
}

// curve is the course of a training of FsNet, the supervised CAE or the Diet
// Network over its epochs. The paper's figures show its accuracies and its
// reconstruction error.
type curve struct {
	study.Identity
	Epochs         []float64 `json:"epochs"`
	Train          []float64 `json:"accuracy_train"`
	Test           []float64 `json:"accuracy_test"`
	Reconstruction []float64 `json:"reconstruction_error_test"` // mean of (x − x̂)² over test rows and features
}

// curveLooks is the number of points on a curve, at equal distances in steps.
const curveLooks = 40

// makeCurves returns the curves of all cells that have one, in the order of the
// cells. It trains those that have no file, one after the other, and writes a
// file for each, named after the cell's id. With an error it returns the curves
// made before.
func (s *paperStudy) makeCurves(ctx context.Context, o reproduceOptions, on *device.Device, messages io.Writer) ([]curve, error) {
	folder := filepath.Join(o.dir, "curves")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, errs.Wrap(system.Reason(err), errs.Request, "name a folder that you may write to", "the folder %s cannot be made",
			folder)
	}

	var cells []study.Row
	for _, c := range s.plan.Cells() {
		if s.hasCurve(c) {
			c.Device = on.Name
			cells = append(cells, c)
		}
	}

	bar := o.bar(messages)
	defer bar.end()
	var curves []curve
	for i, cell := range cells {
		now := fmt.Sprintf("%d of %s  %s, %s", i, phrase.Count(len(cells), "curve"), cell.Dataset, cell.Method)
		bar.draw(float64(i)/float64(len(cells)), false, now, "")

		path := filepath.Join(folder, cell.ID()+".json")
		c, err := readCurve(path, cell.Identity)
		if errors.Is(err, fs.ErrNotExist) {
			c, err = s.trainCurve(ctx, on, cell)
			if err == nil {
				err = c.write(path)
			}
		}

		if err != nil {
			return curves, err
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// method returns the method of a name. The name must be one of the study's.
func (s *paperStudy) method(name string) study.Method {
	return s.methods[slices.IndexFunc(s.methods, func(m study.Method) bool { return m.Name == name })]
}

// hasCurve reports whether a cell has a curve. That is so if its training can
// be evaluated along the way, with the figures' K or with all features.
func (s *paperStudy) hasCurve(c study.Row) bool {
	m := s.method(c.Method)
	word, _, _ := strings.Cut(m.Name, ":")
	return (word == study.FsNet || m.CanWatch()) && (c.K == s.smallestK() || !m.Selects)
}

// readCurve reads a curve. The error is fs.ErrNotExist if there is no file, and
// of kind Request if the file isn't the curve of this cell.
func readCurve(path string, cell study.Identity) (c curve, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	n := 0
	if err = json.Unmarshal(text, &c); err == nil {
		n = len(c.Epochs)
	}
	if n == 0 || len(c.Train) != n || len(c.Test) != n || len(c.Reconstruction) != n || c.Identity != cell {
		return c, errs.New(errs.Request, "remove it and run the command again", "%s is not the curve of %s, %s, split %d", path, cell.Dataset,
			cell.Method, cell.Split)
	}
	return c, nil
}

// write writes the curve to a file as JSON. It fails if a figure isn't finite.
func (c curve) write(path string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return errs.Wrap(err, errs.Failed, "", "%s: a figure is not a number", path)
	}
	return errs.NotWritten(system.WriteFile(path, append(text, '\n')))
}

// trainCurve trains a cell and returns its curve: the scores on training and
// test rows, and the reconstruction error, at about curveLooks points. With an
// error the curve is incomplete.
func (s *paperStudy) trainCurve(ctx context.Context, on *device.Device, cell study.Row) (curve, error) {
	c := curve{Identity: cell.Identity}
	if s.method(cell.Method).CanWatch() {
		list, err := s.plan.Watch(ctx, on, cell, curveLooks)
		for _, l := range list {
			c.Epochs, c.Train, c.Test = append(c.Epochs, float64(l.Epochs)), append(c.Train, l.Train), append(c.Test, l.Test)
			c.Reconstruction = append(c.Reconstruction, l.Reconstruction)
		}
		return c, err
	}

	t, err := s.plan.Open(ctx, on, cell)
	if err != nil {
		return c, err
	}
	defer t.Close()

	steps, perEpoch, step := t.Steps(), t.Status().StepsPerEpoch, 0
	for look := 1; look <= curveLooks && t.Stopped() == ""; look++ {
		for to := steps * look / curveLooks; step < to && t.Stopped() == ""; {
			made, err := t.Advance(ctx, to-step)
			switch {
			case err != nil:
				return c, err
			case ctx.Err() != nil:
				return c, errs.New(errs.Interrupted, "run the same command again to continue", "interrupted in a curve of %s, %s", cell.Dataset,
					cell.Method)
			}
			step += made
		}

		train, err := t.Evaluate(session.Train)
		if err != nil {
			return c, err
		}
		test, err := t.Evaluate(session.Test)
		if err != nil {
			return c, err
		}

		c.Epochs = append(c.Epochs, float64(step)/float64(perEpoch))
		c.Train, c.Test, c.Reconstruction = append(c.Train, train.Score.Value), append(c.Test, test.Score.Value), append(c.Reconstruction,
			test.ReconstructionError)
	}
	return c, nil
}
