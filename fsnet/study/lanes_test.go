package study

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
)

// forcedLanes opens XLA, and skips loudly without its plugin.
func forcedLanes(t *testing.T) *device.Device {
	t.Helper()
	on := must(device.Open(t.Context(), "auto"))
	t.Cleanup(on.Close)
	if on.Name == "go" {
		t.Skip("NOT TESTED: no XLA plugin")
	}
	return on
}

// closeRows reports whether two rows have the same selection, and scores that
// differ by 1e-3 at most.
func closeRows(a, b Row) bool {
	near := func(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || math.Abs(*a-*b) <= 1e-3) }
	return a.Err() == nil && b.Err() == nil && slices.Equal(a.Selected, b.Selected) && near(a.Score, b.Score) && near(a.Own, b.Own) && near(a.ModelKB, b.ModelKB)
}

// The rows of a comparison are those of trainings alone if one program makes
// the steps of several: the same genes, and scores within 1e-3. Also if there
// are more splits than places, in parts to the same bits, next to methods that
// train nothing, and if rows of several K share a training.
func TestRun_InOneProgram(t *testing.T) {
	on := forcedLanes(t)
	c := config.Config{Epochs: 30, Seed: 7, Backend: on.Name}
	plan := func(lanes int) *Plan {
		p := must(New([]*dataset.Dataset{planted(t)}, c, must(Methods("fsnet-path,anova")), []int{2, 3}, 5))
		p.lanes = lanes
		return p
	}
	together, alone := must(plan(4).Run(t.Context(), on, nil, nil)), must(plan(1).Run(t.Context(), on, nil, nil))
	if len(together) != 20 || len(alone) != 20 {
		t.Fatalf("%d rows together, %d alone", len(together), len(alone))
	}
	for i, row := range together {
		if !closeRows(row, alone[i]) {
			t.Errorf("%s, K = %d, split %d together is\n%+v\nalone\n%+v", row.Method, row.K, row.Split, row, alone[i])
		}
	}

	for part := 1; part <= 3; part++ {
		p := plan(4)
		if err := p.Part(part, 3); err != nil {
			t.Fatal(err)
		}
		for _, row := range must(p.Run(t.Context(), on, nil, nil)) {
			whole := together[slices.IndexFunc(together, func(r Row) bool { return r.key() == row.key() })]
			if !reflect.DeepEqual(row.Timeless(), whole.Timeless()) {
				t.Errorf("in part %d of 3 a row is\n%+v\nin the whole\n%+v", part, row.Timeless(), whole.Timeless())
			}
		}
	}
}

// Folds with different numbers of rows are trained together with those of their
// own size, and tuning comes to the same choice as with trainings alone.
func TestTuning_InOneProgram(t *testing.T) {
	on := forcedLanes(t)
	c := config.Config{K: 3, Epochs: 30, Seed: 7, Backend: on.Name}
	of := func(lanes int) ([]Row, *Tuning) {
		p := must(NewTuning(planted(t), c, TuneOptions{Grid: must(ParseGrid("lambda=0,1")), Folds: 3}))
		p.Rows.lanes = lanes
		return must(p.Rows.Run(t.Context(), on, nil, nil)), p
	}
	together, p := of(4)
	alone, _ := of(1)
	for i, row := range together {
		if !closeRows(row, alone[i]) {
			t.Errorf("%s, K = %d of %s together is\n%+v\nalone\n%+v", row.Method, row.K, row.Dataset, row, alone[i])
		}
	}
	if a, b := p.Summarize(together), p.Summarize(alone); a.Chosen == nil || b.Chosen == nil || *a.Chosen != *b.Chosen {
		t.Errorf("together tuning chooses %v, alone %v", a.Chosen, b.Chosen)
	}
}
