package metric

import "math"

// Bins is the number of equal-width bins into which [MutualInformation]
// divides the range of a feature.
const Bins = 10

// MutualInformation returns the mean mutual information, in bits, over all
// pairs of the k columns of x (n×k, row-major), the selected features. It is
// the paper's measure of redundancy, and lower is better.
//
//	Î(S) = 2/(k(k−1)) Σ_{i<j} I(X_i, X_j)      I(A, B) = Σ_{a,b} p(a,b) log2( p(a,b) / (p(a) p(b)) )
//
// a and b run over [Bins] bins of equal width between the smallest and
// largest value of a column among the n rows. The largest value belongs to
// the last bin, and all values of a constant column are in one bin. The
// estimate is biased upwards if there are few rows, so you should only
// compare values for the same rows.
func MutualInformation[F float32 | float64](x []F, n, k int) float64 {
	mustMatch(len(x), n*k)
	if n == 0 || k < 2 {
		return 0
	}
	bins := make([][]int, k)
	for j := range bins {
		bins[j] = assignBins(x, n, k, j)
	}
	sum := 0.0
	for i := range k {
		for j := i + 1; j < k; j++ {
			sum += pairInformation(bins[i], bins[j])
		}
	}
	return sum / float64(k*(k-1)/2)
}

// assignBins returns the bin of each row of a column. All bins are 0 for a
// constant column.
func assignBins[F float32 | float64](x []F, n, k, column int) []int {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range n {
		v := float64(x[i*k+column])
		low, high = min(low, v), max(high, v)
	}
	bins := make([]int, n)
	if !(high > low) {
		return bins
	}
	for i := range bins {
		v := float64(x[i*k+column])
		bins[i] = min(max(int((v-low)/(high-low)*Bins), 0), Bins-1)
	}
	return bins
}

// pairInformation returns I(A, B) of two columns of bins.
func pairInformation(a, b []int) float64 {
	var joint [Bins][Bins]int
	for i := range a {
		joint[a[i]][b[i]]++
	}
	rows := make([][]int, Bins)
	for i := range rows {
		rows[i] = joint[i][:]
	}
	return Information(rows)
}

// Information returns the mutual information I(A, B) of two variables, in
// bits, from the counts of their joint values. joint has a row for each
// value of A. Rows may differ in length, and missing counts are 0. The
// result is 0 if there are no counts. It is biased upwards if there are few
// rows.
func Information(joint [][]int) float64 {
	var ofA, ofB []float64
	n := 0.0
	for _, row := range joint {
		sum := 0.0
		for j, count := range row {
			if j == len(ofB) {
				ofB = append(ofB, 0)
			}
			ofB[j] += float64(count)
			sum += float64(count)
		}
		ofA = append(ofA, sum)
		n += sum
	}
	bits := 0.0
	for i, row := range joint {
		for j, count := range row {
			if count > 0 {
				bits += float64(count) / n * math.Log2(float64(count)*n/(ofA[i]*ofB[j]))
			}
		}
	}
	return max(bits, 0) // below 0 only by rounding
}
