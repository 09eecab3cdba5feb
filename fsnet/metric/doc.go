// Package metric measures predictions, reconstructions and selections.
//
// # Basics
//
// [Accuracy], [BalancedAccuracy], [Confusion] and [Majority] compare classes, given as indices from 0. [ReconstructionError] compares numbers.
// [MutualInformation] says how much the selected features repeat one another. Every
// function here is a plain one of its arguments, computed in 64-bit floating point.
//
// # Caveats
//
// Without rows, or without a pair of features, a measure is 0 and not NaN, since JSON has no NaN. Slices that belong together must
// have the same length and classes must be in range; anything else is a mistake in the program and panics, as an index does.
package metric
