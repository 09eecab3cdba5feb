// Package metric measures predictions, reconstructions and selections. Every
// function depends on nothing but its arguments and computes in 64-bit floating
// point.
//
// # Basics
//
//   - [Accuracy], [BalancedAccuracy], [Confusion] and [Majority] compare
//     classes, given as indices from 0.
//   - [R2] compares numbers.
//   - [MutualInformation] measures how much the selected features repeat one
//     another.
//   - [Jaccard] and [Nogueira] measure how much selections from different rows
//     agree.
//   - [Wilcoxon] compares two methods on the same splits, and [MeanRanks],
//     [Friedman] and [CriticalDifference] compare several.
//   - [ModeratedF] scores how well each single feature separates the classes.
//   - [ModelKB] returns the size of a model.
//
// Start with [Accuracy] and [SpreadOf]. They give the figures of most tables.
//
// # Caveats
//
// If there are no rows, or no pair of features or of sets, a measure is 0
// rather than NaN, because JSON has no NaN. Slices that belong together must
// have the same length, classes must be in range, and a set must not contain a
// feature twice. Otherwise the functions panic, just as an index out of range
// does.
package metric
