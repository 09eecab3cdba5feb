// Package metric measures predictions, reconstructions and selections. Every function is a plain one of its arguments, computed in 64-bit
// floating point.
//
// # Basics
//
//   - [Accuracy], [BalancedAccuracy], [Confusion] and [Majority] compare classes, given as indices from 0;
//   - [R2] compares numbers;
//   - [MutualInformation] says how much the selected features repeat one another;
//   - [Jaccard], [Kuncheva] and [Nogueira] say how much selections made from different rows agree;
//   - [Wilcoxon] compares two methods on the same splits; [MeanRanks], [Friedman] and [CriticalDifference] compare several;
//   - [ModeratedF] says of each feature how far it tells the classes apart, on its own;
//   - [ModelKB] is the size of a model.
//
// # Caveats
//
// Without rows, or without a pair of features or of sets, a measure is 0 and not NaN, since JSON has no NaN. Slices that belong together
// must have the same length, classes must be in range, and a set must not hold a feature twice: anything else is a mistake in the program
// and panics, as an index does.
package metric
