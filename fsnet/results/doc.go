// Package results holds the results of studies as plain values. Package
// study computes them, fsnet prints them as JSON, and charts draw them. It
// does not link the engine, so notebook cells can read them.
//
// # Nouns
//
//   - A [Table] holds what methods of feature selection reach on one data
//     set with one K, and [Replicas] what one configuration does with many
//     seeds.
//   - A [Tuned] holds what the combinations of a grid reach, and which one
//     is chosen.
//   - A [Stability] says which features of a choice to trust.
//   - A [Judged] says how good a panel of features is, and a [PlantedTable]
//     what methods find if the causes are known.
//
// # Basics
//
//	var tuned results.Tuned
//	err := json.Unmarshal(text, &tuned) // as fsnet tune --json prints it
//	picture, err := chart.Tuning(tuned)
//
// Start with [Stability], the result that most users look at first.
//
// # Caveats
//
// A result names the metric of its scores once: accuracy, or r2 if the label
// is a quantity.
package results
