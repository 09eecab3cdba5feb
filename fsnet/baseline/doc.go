// Package baseline holds what the methods that FsNet is compared with share: an interface, data,
// models, and the parts of a fit.
//
// A [Method] is fitted to [Data] and returns a [Model]: K distinct features ([Feature]) by falling
// score and, if the method can predict, a [Predictor] of classes or a [Regressor] of quantities.
// The methods are in package comparators, which makes one from its name, and the networks among
// them in package deep.
//
// # Basics
//
//	method, err := comparators.Named("mrmr")
//	model, err := method.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10, Seed: 1})
//	judge, err := comparators.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := judge.Score(test.Only(model.Columns()))
//
// Data with a Target instead of Y hold quantities; methods with Regression in their [Entry] accept
// them.
//
// A method writes its Fit with a [Work], from [Begin], and its settings as fields with tags; see
// [Set].
//
// # Caveats
//
// Columns count from 0 within Data. Of returns the columns that a [dataset.Prepared] kept:
// Kept[feature.Index] is the column of the file. Missing values and infinities are refused: fill
// them in first, as dataset.Prepare does.
//
// Networks and kernels ([Entry]) are computed on Options.Device, which keeps compiled programs;
// without one each Fit opens the best device for itself. Their results depend on the device. A
// fitted model needs none: it predicts in plain Go.
//
// Every result is a function of (data, options) and, for networks and kernels, the device; for
// other methods neither the number of processors nor the order in which they finish matters. Ties
// go to the first column, except in mrmr. Constant columns come last, marked as padding, whatever
// the method's score. So do features that fill up K: HSIC Lasso and the lasso can stop earlier.
package baseline
