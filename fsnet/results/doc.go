// Package results has what studies come to: plain values, which package study makes, fsnet prints as JSON and charts draw. It links no
// engine, so that a cell of a notebook can read them.
//
// # Nouns
//
//   - a [Table] is what methods of feature selection reach on one data set with one K, and [Replicas] what one configuration does with many
//     seeds;
//   - a [Tuned] is what the combinations of a grid reach, one of which is chosen;
//   - a [Stability] says which features of a choice to trust;
//   - a [Judged] says how good a panel of features is, and a [PlantedTable] what methods find of causes that are known.
//
// # Basics
//
//	var tuned results.Tuned
//	err := json.Unmarshal(text, &tuned) // as fsnet tune --json prints it
//	picture, err := chart.Tuning(tuned)
//
// # Caveats
//
// A result names the metric of its scores once: accuracy or, where the label is a quantity, r2.
package results
