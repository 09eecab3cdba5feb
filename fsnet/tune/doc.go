// Package tune chooses settings of a training by cross-validation inside the training rows, so that the test rows are left for one honest
// look at the end.
//
// # Nouns
//
//   - a [Grid] is what may be chosen: keys with the values to try, such as k=5,10,20 lambda=0,1;
//   - a [Plan] divides the training rows into folds, and every combination of the grid is trained on all folds but one and asked about that
//     one, each in turn. [New] makes one for a grid, [NewPath] one for nested selections;
//   - a [Result] has the mean accuracy of every combination, or of a quantity R², with its standard error, and which one is chosen.
//
// # Basics
//
//	grid, err := tune.ParseGrid("k=5,10,20 lambda=0,1")
//	plan, err := tune.New(data, config.Config{Seed: 1}, grid, tune.Options{})
//	rows, err := plan.Rows.Run(ctx, device, nil, nil)
//	result := plan.Summarize(rows)
//	fmt.Println(result.Command)
//
// A plan's rows are those of a comparison (package compare) whose data sets are the folds: they are stored, resumed and refused as there.
//
// [OneStandardError] chooses: the simplest of those whose mean is at most one standard error below the best.
//
// # Caveats
//
// The accuracy of the best of many combinations is too high, since chance has helped it: what a choice is worth, the test rows say.
// Folds share training rows, so that a standard error is a rule of thumb, not an interval.
package tune
