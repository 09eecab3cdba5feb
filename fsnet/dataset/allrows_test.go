package dataset

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
)

// scaling=all-rows is the authors' max-abs and z-score over all rows, written out; a column that varies over the test rows alone stays.
func TestScalingOverAllRows(t *testing.T) {
	const d = 5
	labels := []string{"u", "v", "u", "v", "u", "v", "u", "v", "u", "v"}
	n := len(labels)
	x := make([][]float64, n)
	for i := range x {
		for j := range d {
			x[i] = append(x[i], float64(float32(math.Sin(float64(i*i+3*j))*float64(j+1)+float64(j*j))))
		}
		x[i][1] = 7 // constant
		x[i][4] = 2
	}
	s := settingsOf(t, config.Config{Scaling: config.AllRows, K: 2, Seed: 3})
	made := func() *Dataset {
		var flat []float32
		for _, row := range x {
			for _, v := range row {
				flat = append(flat, float32(v))
			}
		}
		data, err := New("made", flat, nil, labels)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	data := made()
	parts, err := Split(data, s)
	if err != nil {
		t.Fatal(err)
	}
	x[parts.Test[0]][4] = 3
	data = made()
	p, err := Prepare(data, s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Kept, []int{0, 2, 3, 4}) {
		t.Fatalf("kept %v", p.Kept)
	}
	for c, j := range p.Kept {
		top := 0.0
		for i := range x {
			top = max(top, math.Abs(x[i][j]))
		}
		mean, square := 0.0, 0.0
		for i := range x {
			mean += x[i][j] / top / float64(n)
		}
		for i := range x {
			square += (x[i][j]/top - mean) * (x[i][j]/top - mean) / float64(n)
		}
		for i := range x {
			want := (x[i][j]/top - mean) / math.Sqrt(square)
			if got := float64(p.Row(i)[c]); math.Abs(got-want) > 1e-5 {
				t.Errorf("row %d, column %d: %g, not %g", i, j, got, want)
			}
		}
	}
	if with, err := Prepare(data, settingsOf(t, config.Config{K: 2, Seed: 3})); err != nil || slices.Contains(with.Kept, 4) {
		t.Errorf("by the training rows column 4 does not vary: %v, %v", with.Kept, err)
	}
	for _, missing := range []bool{false, true} {
		thin, dense := thinAndDense(t, missing)
		samePrepared(t, thin, dense, config.Config{Scaling: config.AllRows, K: 2, Missing: "mean"})
	}
}
