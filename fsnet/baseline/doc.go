// Package baseline is what the methods that FsNet is compared with have in common: one interface, data, models, and what a fit needs.
//
// A [Method] is fitted to [Data] and gives a [Model]: K distinct features ([Feature]) by falling score, and, where the method can, a
// [Predictor] of classes or a [Regressor] of quantities. The methods themselves are in package comparators, which makes one from
// its name, and networks in package deep.
//
// # Basics
//
//	method, err := comparators.Named("mrmr")
//	model, err := method.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10, Seed: 1})
//	judge, err := comparators.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := judge.Score(test.Only(model.Columns()))
//
// Data with a Target instead of Y hold quantities; the methods whose [Entry] says Regression take them.
//
// A method writes its Fit with a [Work], from [Begin], and its settings as fields with tags, for which see [Set].
//
// # Caveats
//
// Columns count from 0 within Data. Of gives the columns that a [dataset.Prepared] kept, so that Kept[feature.Index] is the column of
// the file. Missing values and infinities are refused: fill them in first, as dataset.Prepare does.
//
// Networks and kernels ([Entry]) are computed on Options.Device, which keeps what was compiled; without one each Fit opens the best one for
// itself. Their results are those of the device. A fitted model needs none: it predicts in plain Go.
//
// Every result is a function of (data, options) and, where there is one, the device; of the others neither the number of processors nor
// the order in which they finish matters. Ties go to the first column, but with mrmr. Constant columns come last, marked as padding,
// whatever the method says of them. So do features that fill up what a method leaves open: HSIC Lasso and the lasso can stop before they
// have K.
package baseline
