// Package compare runs methods of feature selection on the same splits of the same data and puts what they reach side by side.
//
// # Nouns
//
//   - a [Plan] says what to compare: data sets, [Method]s, numbers of features K, splits;
//   - a [Row] is what one method reaches with one K on one split; [Plan.Run] makes them, [Write] and [Read] store them as CSV;
//   - an [Identity] is all that the figures of a row are a function of;
//   - a [Listing] is a plan as a file, with every cell; its cells can be made apart ([Plan.Part], [Plan.Choose]) and put together
//     ([Plan.Merge]);
//   - a [Table] is the rows of a data set and a K together, as [Summarize] makes it: an [Entry] a method, with means, intervals, the
//     stability of the selections and a paired test against FsNet.
//
// # Basics
//
//	methods, err := compare.Methods("fsnet,fsnet:protocol=paper,mrmr,svm")
//	plan, err := compare.New([]*dataset.Dataset{data}, config.Config{Seed: 1}, methods, []int{10, 50}, 20)
//	rows, err := plan.Run(ctx, device, nil, nil)
//	for _, table := range compare.Summarize(plan, rows) { … }
//
// Beside FsNet there is fsnet-path ([Nested]): one training a split, of whose features a smaller K has the first.
//
// FsNet may be there several times, with settings of its own after its name ([Settings]); the others are tested against the first.
//
// A row's [Identity] holds all that its figures are a function of, the versions of the algorithms and the kind of device among them: with
// rows of before, [Plan.Run] goes on where they are the plan's, and refuses them where they are not ([Plan.Check]).
//
// Split s, from 0, is that of the seed Seed + s, which is also the method's seed: FsNet's row is what fsnet fit --seed gives. With a
// split_seed it is that of split_seed + s, and Seed + s remains the method's.
//
// Data are prepared once for all methods of a split, by their training rows alone.
//
// Every method that selects is judged by the same support vector machine ([svm.SVM] at its defaults), trained on the selected
// features of the training rows and asked about the test rows.
//
// # Caveats
//
// Methods take turns, each with all cores, so that their seconds can be compared. The seconds are of the fit alone: for FsNet they hold
// the embedding and, for the first split of a K, the compilation, which neural methods have for each shape of the data, too.
//
// Splits of one data set share rows: what differs between them is less than what would differ between samples of new rows. The interval
// of a [Spread] allows for it, the p value of a [Paired] does not.
package compare
