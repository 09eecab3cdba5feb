// Package stepwise chooses features under protocol=stepwise, in place of the
// gradient: annealed stepwise selection by closed-form errors.
//
// Start with [Sizes.Rescore]. It makes a step. Each selector keeps a score of
// every feature, log δ = e. A step samples the features of the selectors. Then
// one selector, in turn, moves its scores half-way to the score that each
// feature would have in its place, next to the features that the others
// sampled. (If all moved at once, they would follow one another from feature to
// feature.) With few rows the score is the leave-one-out error with the feature
// (few.go), with many its partial F (scores.go). [ReadRows] returns what both
// read of the training rows.
package stepwise
