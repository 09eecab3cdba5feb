// Package pairs finds features that tell about a target only together, in
// closed form: a marker and what blurs it, or two features where one turns
// the meaning of the other, as in XOR. The gradient cannot find them: with
// blends of d features, a product of two arrives with weight 2/d².
//
// Start with [Find]. Let z_i and z_j be two columns, standardised and
// clipped at three standard deviations, and λ(S) the determinant of what the
// columns S leave of the covariance of the targets (Wilks' lambda; for one
// quantity 1 − R²). Two hypotheses are tested for each of d(d−1)/2 pairs:
//
//	together   1 − ρ² = λ(z_i, z_j) / min(λ(z_i), λ(z_j))    the pair beyond the better of the two
//	product    1 − ρ² = λ(z_i, z_j, z_i z_j) / λ(z_i, z_j)         the product beyond both
//
// A pair tells together only if λ(z_i, z_j) < λ(z_i)·λ(z_j), too: it gains
// more likelihood than the sum of what its features gain alone. So two
// features that repeat one another are no pair, however much each of them
// tells. A pair tells by its product only if at least half of ρ² remains
// next to z_i² and z_j². Otherwise one feature tells alone by its distance
// from the mean, and the other resembles it.
//
// With q targets and f degrees of freedom, F = (ρ²/q) / ((1 − ρ²)/f). Its p
// is multiplied by the number of pairs (Bonferroni). Moments of all pairs
// are products of matrices, so a graph computes them in blocks of columns,
// on any backend (graph.go), without the squares. The few pairs beyond the
// level are then computed again on the host, in 64 bits (exact.go), so that
// figures do not depend on the backend.
//
// Results depend, to the bit, neither on the order of the columns and the
// names of the classes, nor on signs and on scales that are powers of two.
package pairs
