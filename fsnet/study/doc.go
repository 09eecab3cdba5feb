// Package study makes many fits and says what they have in common: comparisons of methods, replicas, tuning, stability, planted causes, and
// panels that somebody brings.
//
// # Nouns
//
//   - a [Plan] says which rows to make: data sets, [Method]s, numbers of features K, splits; [New] makes one of a comparison;
//   - a [Row] is what one method reaches with one K on one split; an [Identity] is all that its figures are a function of. [Plan.Run] makes
//     them, and goes on with rows of before where they are the plan's ([Plan.Check]);
//   - a [Listing] is a plan as a file; its cells can be made apart ([Plan.Part], [Plan.Choose]) and put together ([Plan.Merge]);
//   - a [Table] is the rows of a data set and a K together, as [Summarize] makes it: means, intervals, the stability of the selections and a
//     paired test against FsNet;
//   - a [Tuning] is a plan whose data sets are folds of the training rows, of whose combinations one is chosen;
//   - [Stable] makes a fit again on complementary halves of the training rows, with decoys: permuted copies of the columns;
//   - [Plant] puts classes on real measurements whose causes are known, and a [Truth] judges what methods find;
//   - [JudgePanel] judges a list of features beside as many at random and as many by an F test.
//
// # Basics
//
//	methods, err := study.Methods("fsnet,fsnet:protocol=paper,mrmr,svm")
//	plan, err := study.New([]*dataset.Dataset{data}, config.Config{Seed: 1}, methods, []int{10, 50}, 20)
//	rows, err := plan.Run(ctx, device, nil, nil)
//	for _, table := range study.Summarize(plan, rows) { … }
//
// Split s, from 0, is that of the seed Seed + s, which is also the method's seed: FsNet's row is what fsnet fit --seed gives. With a
// split_seed it is that of split_seed + s. Data are prepared once for all methods of a split, by their training rows alone. Every method
// that selects is judged by one support vector machine at its defaults, or of a quantity by a kernel ridge regression.
//
// # Caveats
//
// Splits of one data set share rows: the interval of a [Spread] allows for it, the p value of a test does not. The accuracy of the best of
// many combinations is too high; what a choice is worth, the test rows say. A panel that was chosen on the same samples has seen its test
// rows.
//
// Replicas and half-samples are trained side by side, as many as have room; each has the bits of a training that is alone.
package study
