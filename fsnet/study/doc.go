// Package study makes many fits and summarises them: comparisons of methods, replicas, tuning,
// stability, planted causes, and judgements of given panels.
//
// # Nouns
//
//   - a [Plan] lists the rows to make: data sets, [Method]s, numbers of features K, splits; [New] plans a comparison;
//   - a [Row] holds what one method reaches with one K on one split; an [Identity] holds everything its figures depend
//     on. [Plan.Run] makes rows, and continues with earlier ones if they belong to the plan ([Plan.Check]);
//   - a [Listing] is a plan as a file; its cells can be made separately ([Plan.Part], [Plan.Choose]) and combined
//     ([Plan.Merge]);
//   - a results.Table summarises the rows of a data set and a K, as [Summarize] does: means, intervals, the stability of
//     the selections and a paired test against FsNet;
//   - a [Tuning] is a plan whose data sets are folds of the training rows; one of its combinations is chosen;
//   - [Stable] repeats a fit on complementary halves of the training rows, with decoys: permuted copies of the columns;
//   - [Plant] gives real measurements classes with known causes, and a [Truth] judges what methods find;
//   - [JudgePanel] judges a list of features beside as many random ones and as many chosen by an F test.
//
// # Basics
//
//	methods, err := study.Methods("fsnet,fsnet:protocol=paper,mrmr,svm")
//	plan, err := study.New([]*dataset.Dataset{data}, config.Config{Seed: 1}, methods, []int{10, 50}, 20)
//	rows, err := plan.Run(ctx, device, nil, nil)
//	for _, table := range study.Summarize(plan, rows) { … }
//
// Split s, from 0, has the seed Seed + s, which is also the method's seed: FsNet's row equals what
// fsnet fit --seed returns. With a split_seed, the split has split_seed + s instead. Data are
// prepared once for all methods of a split, from its training rows alone. One support vector
// machine at its defaults, or for a quantity a kernel ridge regression, judges every method that
// selects.
//
// # Caveats
//
// Splits of one data set share rows: the interval of a metric.Spread allows for that, the p value
// of a test does not. The accuracy of the best of many combinations is too high; only the test rows
// tell its true value. A panel that was chosen on the same samples has seen its test rows.
//
// Replicas and half-samples are trained concurrently, as many as fit; each has the bits of a
// training on its own.
package study
