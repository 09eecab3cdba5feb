package stepwise

import (
	"math"

	"fsnetlab/fsnet/method/embedding"
)

// sparseMoments returns the [moments] of a table in which most values of
// column j equal c_j. With Z = 1cᵀ + S, where S is 0 at those values,
//
//	ZᵀZ = n ccᵀ + c(Sᵀ1)ᵀ + (Sᵀ1)cᵀ + SᵀS      TᵀZ = (Tᵀ1)cᵀ + TᵀS
//
// summed in 64 bits, without a dense row. If rows have weights, 1 and S are
// multiplied by √w, as T is.
func sparseMoments(t embedding.SparseTable, y embedding.Target) ([]float32, error) {
	n, d, classes := float64(len(y.Y)), t.Width(), y.Outputs()
	clips := make([]clipping, d)
	err := t.Columns(func(j int, column []float64) { clips[j] = clippingOf(column, y) })
	if err != nil {
		return nil, err
	}
	usual := make([]float64, d) // c
	for j, x := range t.Zero() {
		usual[j] = float64(clips[j].apply(x))
	}

	targets := targetsOf(y)
	sum, target := make([]float64, d), make([]float64, classes) // Sᵀ1 and Tᵀ1
	square, cross := make([]float64, d*d), make([]float64, classes*d)
	row := []float64{}
	err = t.Stored(func(i int, columns []int32, values []float32) {
		row = row[:0]
		root := math.Sqrt(y.Weight(i))
		for k, j := range columns {
			row = append(row, root*(float64(clips[j].apply(values[k]))-usual[j]))
			sum[j] += root * row[k]
		}
		for k, j := range columns {
			into := square[int(j)*d : (int(j)+1)*d]
			for l, v := range row[:k+1] {
				into[columns[l]] += row[k] * v
			}
		}
		for c := range classes {
			t := targets[i*classes+c]
			target[c] += root * t
			into := cross[c*d : (c+1)*d]
			for k, j := range columns {
				into[j] += t * row[k]
			}
		}
	})

	out := make([]float32, (d+classes)*d)
	for j := range d {
		for l := range j + 1 { // Columns ascend in every row.
			v := usual[j]*usual[l] + (usual[j]*sum[l]+sum[j]*usual[l]+square[j*d+l])/n
			out[j*d+l], out[l*d+j] = float32(v), float32(v)
		}
	}
	for c := range classes {
		for j := range d {
			out[(d+c)*d+j] = float32((target[c]*usual[j] + cross[c*d+j]) / n)
		}
	}
	return out, err
}

// clipping maps a value of a column to the value clipped at three standard
// deviations and standardised again.
type clipping struct{ mean, scale, again, scaleAgain float64 }

// clippingOf returns the clipping of a column of the training rows.
func clippingOf(column []float64, y embedding.Target) clipping {
	var c clipping
	n := float64(len(column))
	moments := func(value func(x float64) float64) (mean, scale float64) {
		square := 0.0
		for i, x := range column {
			mean += y.Weight(i) * value(x) / n
		}
		for i, x := range column {
			square += y.Weight(i) * (value(x) - mean) * (value(x) - mean) / n
		}
		if scale = math.Sqrt(square); scale == 0 {
			scale = 1
		}
		return mean, scale
	}
	c.mean, c.scale = moments(func(x float64) float64 { return x })
	c.again, c.scaleAgain = moments(func(x float64) float64 { return float64(c.standardised(float32(x))) })
	return c
}

// standardised returns a value standardised and clipped.
func (c clipping) standardised(x float32) float32 {
	return min(max(float32((float64(x)-c.mean)/c.scale), -clipAt), clipAt)
}

// apply returns a value standardised, clipped, and standardised again.
func (c clipping) apply(x float32) float32 {
	return float32((float64(c.standardised(x)) - c.again) / c.scaleAgain)
}
