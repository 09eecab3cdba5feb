package study

import (
	"fmt"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/metric"
	"fsnetlab/internal/num"
)

// agreed is a table of 40 rows, in ten groups of four if it is grouped.
func agreed(t *testing.T, grouped bool) *dataset.Dataset {
	t.Helper()
	r := num.RNG(1, "agreed")
	x, labels, groups := make([]float32, 40*6), make([]string, 40), make([]string, 40)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range labels {
		labels[i], groups[i] = []string{"ctl", "case"}[i%2], fmt.Sprint("D", i/4)
	}
	data := must(dataset.New("agreed", x, nil, labels))
	if grouped {
		data = must(data.WithGroups(groups))
	}
	return data
}

// Where all splits of a comparison agree, the interval is Wilson's for the rows
// that were tested, or for their groups, and no point. Splits in two test some
// of the rows, folds all of them.
func TestSummarize_AllSplitsAgree(t *testing.T) {
	for _, grouped := range []bool{false, true} {
		for _, folds := range []int{0, 5} {
			p := must(New([]*dataset.Dataset{agreed(t, grouped)}, config.Config{Backend: "go"}, must(Methods("anova")), []int{2}, 4))
			tested := 40 * (1 - 1./16) // by any of four halves
			if folds > 0 {
				if err := p.Fold(folds, 1); err != nil {
					t.Fatal(err)
				}
				tested = 40
			}
			if grouped {
				tested /= 4
			}
			for _, share := range []float64{1, 0.75, 0} {
				rows := p.Cells()
				for i := range rows {
					rows[i].Score = &share
				}
				low, high, ok := Summarize(p, rows)[0].Entries[0].Score.Interval()
				wantLow, wantHigh := metric.WilsonInterval(share, tested)
				if !ok || low != wantLow || high != wantHigh || low >= high {
					t.Errorf("grouped %v, folds %d, %g: %g to %g, %v, want %g to %g", grouped, folds, share, low, high, ok, wantLow, wantHigh)
				}
			}
		}
	}
}

// Where all folds agree, "within one standard error" has room: a smaller K that
// is slightly worse is within it, and fewer groups than rows give more. A sweep
// has no interval of one point.
func TestTuning_AllFoldsAgree(t *testing.T) {
	var errors []float64
	for _, grouped := range []bool{false, true} {
		p := tuning(t, agreed(t, grouped), config.Config{Seed: 1, Backend: "go"}, TuneOptions{Grid: must(ParseGrid("k=2,5")), Folds: 4})
		rows := p.Rows.Cells()
		for i := range rows {
			score := 1.0
			if rows[i].K == 2 {
				score = 0.97
			}
			rows[i].Own, rows[i].Score = &score, &score
		}
		r := p.Summarize(rows)
		if r.Chosen == nil || r.Points[*r.Best].K != 5 || r.Points[*r.Chosen].K != 2 || !(*r.Threshold < 0.97) {
			t.Fatalf("grouped %v: %+v", grouped, r)
		}
		for _, point := range r.Points {
			if !(point.Score.SE > 0) {
				t.Errorf("grouped %v: %+v", grouped, point.Score)
			}
		}
		errors = append(errors, r.Points[1].Score.SE)
	}
	if errors[1] <= errors[0] {
		t.Errorf("standard errors %g of rows, %g of groups", errors[0], errors[1])
	}

	p := tuning(t, agreed(t, false), config.Config{Seed: 1, Backend: "go"}, TuneOptions{Grid: must(ParseGrid("k=2,5")), Folds: 4, Seeds: 3})
	rows := p.Rows.Cells()
	for i := range rows {
		rows[i].Own, rows[i].Score = new(1.0), new(1.0)
	}
	for _, point := range p.Summarize(rows).Points {
		if point.Interval != nil && point.Interval.Low != nil && *point.Interval.Low == *point.Interval.High {
			t.Errorf("an interval of one point: %+v", point.Interval)
		}
	}
}
