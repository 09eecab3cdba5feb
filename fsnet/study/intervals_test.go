package study_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
)

// The experiment about intervals, in docs/trust.md. A cohort takes a second or
// more, so it runs only on request:
//
//	go test ./fsnet/study -run TestIntervalCohorts -v -timeout 1h -cohorts 30
var (
	cohorts     = flag.Int("cohorts", 0, "number of cohorts of each kind")
	cohortKinds = flag.String("cohort-kinds", "rows,donors,pairs", "what was drawn at random")
)

// TestIntervalCohorts prints how often the interval of the accuracy covers what
// the same network reaches on 2000 new rows, donors or pairs.
func TestIntervalCohorts(t *testing.T) {
	if *cohorts == 0 {
		t.Skip("SKIPPED: an experiment of some minutes; -cohorts 1 makes a small one")
	}
	on, err := device.Open(t.Context(), "auto")
	must(err)
	defer on.Close()
	for kind := range strings.SplitSeq(*cohortKinds, ",") {
		covered, byRows := 0, 0
		for rep := range *cohorts {
			e, truth := newCohort(t, on, kind, rep)
			in := *e.Low <= truth && truth <= *e.High
			if in {
				covered++
			}
			hits := int(e.Score.Value*float64(e.Rows) + 0.5)
			if low, high := wilson(hits, e.Rows); low <= truth && truth <= high {
				byRows++
			}
			t.Logf("%s, %d: %.3f on %d rows of %d %s (%.2f to %.2f), in truth %.3f, covered %v", kind, rep, e.Score.Value, e.Rows, e.Units, e.Unit,
				*e.Low, *e.High, truth, in)
		}
		low, high := wilson(covered, *cohorts)
		t.Logf("%s: covered in %d of %d (95 %%: %.2f to %.2f), by Wilson's of rows in %d", kind, covered, *cohorts, low, high, byRows)
	}
}

// newCohort trains on the training rows of a made table and returns the
// evaluation of its test rows, and the accuracy of the same network on new
// ones. Donors are as in cells: 24 for training and 12 for testing, of one
// class each, whose rows are more alike than donors are.
func newCohort(t *testing.T, on *device.Device, kind string, rep int) (e session.Evaluation, truth float64) {
	t.Helper()
	const columns, causal, effect = 30, 3, 0.5
	training, test, many, size, within := 60, 40, 2000, 1, 1.0
	switch kind {
	case "donors":
		training, test, size, within = 24, 12, 25, 0.3
	case "pairs":
		training, test, size = 30, 16, 2
	}
	r := num.RNG(int64(rep), "cohort "+kind)
	draw := func(u int) (units []string, rows [][]float64, labels []string) {
		own := make([]float64, columns)
		for j := range own {
			own[j] = r.NormFloat64()
		}
		for k := range size {
			class := u % 2
			if kind == "pairs" {
				class = k
			}
			x := make([]float64, columns)
			for j := range x {
				if x[j] = within * r.NormFloat64(); size > 1 {
					x[j] += own[j]
				}
				if j < causal {
					x[j] += effect * float64(2*class-1)
				}
			}
			units, rows, labels = append(units, fmt.Sprint("u", u)), append(rows, x), append(labels, []string{"ctl", "case"}[class])
		}
		return units, rows, labels
	}

	var text strings.Builder
	text.WriteString("label,set,unit")
	names := make([]string, columns)
	for j := range names {
		names[j] = fmt.Sprintf("G%02d", j)
		text.WriteString("," + names[j])
	}
	for u := range training + test {
		units, rows, labels := draw(u)
		for i, row := range rows {
			fmt.Fprintf(&text, "\n%s,%s,%s", labels[i], []string{"train", "test"}[min(u/training, 1)], units[i])
			for _, x := range row {
				fmt.Fprintf(&text, ",%.4f", x)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "cohort.csv")
	must(os.WriteFile(file, []byte(text.String()+"\n"), 0o600))
	c := config.Config{Data: file, Label: "label", K: causal, Seed: int64(rep), Split: "column:set"}
	switch kind {
	case "donors":
		c.Groups = "unit"
	case "pairs":
		c.Pairs = "unit"
	default:
		c.Ignore = []string{"unit"}
	}
	settings, err := c.Resolve()
	must(err)
	data, err := dataset.Open(t.Context(), settings, "")
	must(err)
	fit, err := train.Open(t.Context(), on, data, settings)
	must(err)
	var model *fsnet.Model
	must(fsnet.ToEnd(t.Context(), fit, nil, func() (err error) {
		if e, err = fit.Evaluate(session.Test); err == nil {
			model, err = fsnet.ModelOf(fit)
		}
		return err
	}))

	right, all := 0, 0
	var units, labels []string
	var rows [][]float64
	for u := range many {
		a, b, c := draw(training + test + u)
		units, rows, labels = append(units, a...), append(rows, b...), append(labels, c...)
	}
	if kind == "pairs" {
		model = model.Paired(units)
	}
	predicted, err := model.PredictNamed(names, rows)
	must(err)
	for i, class := range predicted {
		if all++; class == slices.Index(model.Classes, labels[i]) {
			right++
		}
	}
	return e, float64(right) / float64(all)
}
