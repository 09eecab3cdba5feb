// Package metric measures predictions, reconstructions and selections.
//
// # Basics
//
// [Accuracy], [BalancedAccuracy], [MacroF1], [Confusion] and [Majority] compare classes, given as indices from 0. [ReconstructionError]
// compares numbers, [R2] quantities. [ModelKB] is the size of a model.
// [MutualInformation] says how much the selected features repeat one another; [Jaccard], [Kuncheva] and [Nogueira] how much selections
// made from different rows agree. Every function here is a plain one of its arguments, computed in 64-bit floating point.
//
// # Caveats
//
// Without rows, or without a pair of features or of sets, a measure is 0 and not NaN, since JSON has no NaN. Slices that belong together must
// have the same length, classes must be in range and a set must not hold a feature twice; anything else is a mistake in the program and panics, as an index does.
package metric
