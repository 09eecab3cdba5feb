package repair

import (
	"math"

	"fsnetlab/fsnet/method/embedding"
)

// nearlyAsFar is the share of the largest deviation that a class needs to count
// as deviating equally. Of two classes both deviate equally, except for
// rounding.
const nearlyAsFar = 1 - 1e-6

// Signs returns 1 or −1 for each feature of the training rows. Multiplied by
// its sign, a feature is high in the class that deviates most from the mean of
// all rows (the first such class if there is a tie). For a quantity it then
// rises with it. A weight predictor is a linear map of a signed embedding, and
// at a high temperature a selector passes on the mean of all features. So
// without a common orientation, selectors move to the sign that more features
// have and never see a marker with the other.
//
// If a column is multiplied by −1, its sign changes, too. So a training does
// not depend on the signs in the file, to the bit. If the rows cannot be read,
// Signs returns an error.
func Signs(t embedding.Table, y embedding.Target) ([]float32, error) {
	d := t.Width()
	outputs := y.Outputs()
	sums, mass := make([]float64, outputs*d), make([]float64, outputs)
	first := make([]float32, d) // The first value that is not 0. It decides if no class deviates.
	total := 0.0
	for i := range y.Y {
		total += y.Weight(i)
		if y.Quantity == nil {
			mass[y.Y[i]] += y.Weight(i)
		}
	}

	err := t.Each(func(i, from int, values []float32) {
		into, factor := sums[from:], y.Weight(i)
		if y.Quantity != nil {
			factor *= y.Quantity[i]
		} else {
			into = sums[y.Y[i]*d+from:]
		}
		for j, v := range values {
			into[j] += factor * float64(v)
			if first[from+j] == 0 {
				first[from+j] = v
			}
		}
	})
	if err != nil {
		return nil, err
	}

	signs := make([]float32, d)
	for j := range signs {
		deviation := sums[j]
		if y.Quantity == nil {
			deviation = farthest(sums[j:], d, mass, total)
		}
		if deviation == 0 {
			deviation = float64(first[j])
		}
		signs[j] = 1
		if deviation < 0 {
			signs[j] = -1
		}
	}
	return signs, nil
}

// farthest returns the deviation r_c (m_c − m) of the class that deviates most,
// where r_c = (1/n_c − 1/n)^(−1/2). If there is a tie, it is that of the first
// such class. sums holds the sum of a feature over each class, at a distance of
// d.
func farthest(sums []float64, d int, mass []float64, total float64) float64 {
	mean := 0.0
	for c := range mass {
		mean += sums[c*d] / total
	}
	deviation := func(c int) float64 {
		if mass[c] == 0 || mass[c] == total {
			return 0
		}
		return (sums[c*d]/mass[c] - mean) / math.Sqrt(1/mass[c]-1/total)
	}

	most := 0.0
	for c := range mass {
		most = max(most, math.Abs(deviation(c)))
	}
	for c := range mass {
		if v := deviation(c); math.Abs(v) >= most*nearlyAsFar {
			return v
		}
	}
	return 0
}
