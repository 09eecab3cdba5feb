package metric

// ReconstructionError is the mean squared error per feature of n rows of d features, both row-major, in any order that agrees:
//
//	(1/(n·d)) Σ_i Σ_j (x_ij − x̂_ij)²
//
// On data scaled to variance 1, saying the mean of every feature has an error of 1.
func ReconstructionError[F float32 | float64](x, reconstructed []F) float64 {
	mustMatch(len(x), len(reconstructed))
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for i, v := range x {
		difference := float64(v) - float64(reconstructed[i])
		sum += difference * difference
	}
	return sum / float64(len(x))
}
