package stability

import (
	"context"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// rows are some rows of the data, scaled, reduced to places of the table.
func (s *sample) rows(rows, places []int) baseline.Data {
	p := s.prepared
	data := baseline.Data{Rows: make([][]float64, len(rows)), Target: s.quantities(rows)}
	for i, row := range rows {
		data.Rows[i] = make([]float64, len(places))
		if p.Target == nil {
			data.Y, data.Classes = append(data.Y, p.Y[row]), len(p.Classes)
		}
		for j, place := range places {
			data.Rows[i][j] = float64(p.Row(row)[s.columns[place]])
		}
	}
	return data
}

// consensus is the k members that were chosen most often; of equally frequent ones those with the larger F over the training rows.
func (s *sample) consensus(ctx context.Context, f family, k int) ([]int, error) {
	model, err := comparators.ANOVA{}.Fit(ctx, s.rows(s.prepared.Parts.Train, f.places), baseline.Options{K: len(f.places)})
	var rank []int
	switch {
	case err == nil:
		rank = make([]int, len(f.places))
		for r, i := range model.Columns() {
			rank[i] = r
		}
	case !fault.Is(err, fault.Request): // with fewer rows than F takes, the first in the file come first
		return nil, err
	}
	var best []int
	for _, i := range f.ordered(rank) {
		if f.seen[i] > 0 && len(best) < k {
			best = append(best, i)
		}
	}
	return best, nil
}

// judge asks a support vector machine about the test rows, or of a quantity a kernel ridge, as fsnet compare does of every method.
func (s *sample) judge(ctx context.Context, on *device.Device, chosen, consensus []int) (*Accuracy, error) {
	scope := device.ScopeOn(on)
	defer scope.Close()
	var judge baseline.Method = comparators.SVM{}
	if s.prepared.Target != nil {
		judge = comparators.KernelRidge{}
	}
	score := func(places []int) (float64, error) {
		model, err := judge.Fit(ctx, s.rows(s.prepared.Parts.Train, places), baseline.Options{Device: scope})
		if err != nil {
			return 0, err
		}
		return model.Score(s.rows(s.prepared.Parts.Test, places))
	}
	a := &Accuracy{Rows: len(s.prepared.Parts.Test)}
	var err error
	if a.Chosen, err = score(chosen); err != nil || len(consensus) == 0 {
		return a, err
	}
	agreed, err := score(consensus)
	a.Consensus = &agreed
	return a, err
}
