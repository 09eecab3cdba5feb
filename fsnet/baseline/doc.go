// Package baseline holds what the methods we compare FsNet with have in common:
// an interface, data, models, and the parts of a fit.
//
// Start with [Method] and [Begin]. A [Method] is fitted to [Data] and returns a
// [Model]: K distinct features ([Feature]) by falling score and, if the method
// can predict, a [Predictor] of classes or a [Regressor] of quantities. The
// methods are in package comparators. It also makes a method from its name.
// Those that are networks are in package deep.
//
// # Basics
//
//	method, err := comparators.Named("mrmr")
//	model, err := method.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10, Seed: 1})
//	judge, err := comparators.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := judge.Score(test.Only(model.Columns()))
//
// Data with a Target instead of Y hold quantities. Methods with Regression in
// their [Entry] accept them.
//
// If you write a method, let its Fit use the [Work] that [Begin] returns, and
// write its settings as fields with tags, see [Set].
//
// # Caveats
//
// Columns count from 0 within Data. Of returns the columns that a
// [dataset.Prepared] kept, so the column of the file is Kept[feature.Index].
// Missing values and infinities are rejected. You should fill them in first, as
// dataset.Prepare does.
//
// Networks and kernels ([Entry]) are computed on Options.Device. It caches
// compiled programs. If it is nil, each Fit opens the best device for itself.
// Results then depend on the device. A fitted model needs no device, because it
// predicts in plain Go.
//
// Every result is a function of (data, options) and, for networks and kernels,
// of the device. For other methods it doesn't matter how many processors there
// are or in which order they finish. Ties go to the first column, except in
// mrmr. Constant columns come last, marked as padding, whatever their score. So
// do features that fill up K, since HSIC Lasso and the lasso may stop earlier.
package baseline
