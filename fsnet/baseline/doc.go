// Package baseline holds the methods that FsNet is compared with, behind one interface.
//
// A [Method] is fitted to [Data] and gives a [Model]: K distinct features ([Feature]) by falling score, and, where the method can, a
// [Predictor] of classes or a [Regressor] of quantities. [Methods] lists them, [Named] makes one from its name, as in
//
//	anova · cae · cae-supervised · dietnet · dnp · hsic-lasso · hsic-lasso-block:b=10 · l1-logistic · lassonet · mrmr:criterion=miq ·
//	random · stg · svm
//
// # Basics
//
//	method, err := baseline.Named("mrmr")
//	model, err := method.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10, Seed: 1})
//	svm, err := baseline.SVM{}.Fit(ctx, train.Only(model.Columns()), baseline.Options{})
//	accuracy, err := svm.Score(test.Only(model.Columns()))
//
// Data with a Target instead of Y hold quantities; the methods whose [Entry] says Regression take them.
//
// Each method is a file, documented there with its equation and with where it follows its reference and where it does not. A new one is
// a new file and an entry in registry.go; the conformance suite then runs it.
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
