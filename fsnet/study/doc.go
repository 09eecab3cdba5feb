// Package study makes many fits and summarises them: comparisons of methods,
// replicas, tuning, stability, planted causes, and judgements of given panels.
//
// Start with [Plan.Run] and preparedSplit.make. Run makes the rows of a plan
// one by one, and make makes one row.
//
// # Nouns
//
//   - A [Plan] lists the rows to make: data sets, [Method]s, numbers of
//     features K, and splits. [New] plans a comparison.
//   - A [Row] holds what one method reaches with one K on one split. An
//     [Identity] holds everything that its figures depend on. [Plan.Run]
//     makes rows. It can continue with earlier ones if they belong to the
//     plan ([Plan.Check]).
//   - A [Listing] is a plan as a file. Its cells can be made separately
//     ([Plan.Part], [Plan.Choose]) and combined ([Plan.Merge]).
//   - A results.Table summarises the rows of a data set and a K, as
//     [Summarize] does: means, intervals, the stability of the selections
//     and a paired test against FsNet.
//   - A [Tuning] is a plan with folds of the training rows as data sets. It
//     chooses one of its combinations.
//   - [Stable] repeats a fit on complementary halves of the training rows,
//     with decoys: permuted copies of the columns.
//   - [Plant] gives real measurements classes with known causes, and a
//     [Truth] judges what methods find.
//   - [JudgePanel] judges a list of features next to as many random ones and
//     as many chosen by an F test.
//
// # Basics
//
//	methods, err := study.Methods("fsnet,fsnet:protocol=paper,mrmr,svm")
//	plan, err := study.New([]*dataset.Dataset{data}, config.Config{Seed: 1}, methods, []int{10, 50}, 20)
//	rows, err := plan.Run(ctx, device, nil, nil)
//	for _, table := range study.Summarize(plan, rows) { … }
//
// Split s, counted from 0, has the seed Seed + s. The method uses the same
// seed, so FsNet's row equals what fsnet fit --seed returns. If you give a
// split_seed, the split has split_seed + s instead. We prepare the data once
// per split for all methods, from its training rows only. One support vector
// machine at its defaults judges every method that selects. For a quantity, it
// is a kernel ridge regression.
//
// # Caveats
//
// Splits of one data set share rows. The interval of a metric.Spread allows for
// that, but the p-value of a test doesn't. The accuracy of the best of many
// combinations is too high; only the test rows tell its true value. A panel
// that was chosen on the same samples has seen its test rows.
//
// Replicas and half-samples are trained concurrently, as many as fit. Each has
// the same bits as if it were trained separately.
package study
