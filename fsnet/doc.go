// Package fsnet gives a Go program FsNet, the feature selection network of
// Singh et al.
//
// Start with [Fit]: ToEnd drives the training, and ModelOf makes the model.
//
// # Nouns
//
//   - [FitFile] trains on the data that a [Config] names, [Fit] on data in
//     memory (package dataset). Both return a [Model].
//   - [FitPath] trains once and returns a [Path] of nested selections: a
//     smaller K has the first features of a larger one.
//   - A [Model] is the result: K features by name, and a network that reads
//     them. [Model.Save] writes it to a file, and [Load] reads it.
//   - [PredictFile] applies a saved model to the rows of a table and returns
//     what it [Predicted].
//
// # Basics
//
//	model, err := fsnet.FitFile(ctx, fsnet.Config{Data: "ALLAML", K: 10})
//	for _, feature := range model.Selected { fmt.Println(feature.Name, feature.Probability) }
//	classes, err := model.PredictNamed(names, rows) // the K columns suffice
//
// # The packages behind it
//
// Package train holds the live training that you step and inspect in a
// notebook. Package method is FsNet as the paper defines it, and
// method/fused is the same step in a fast form. Package engine compiles and
// runs it on a device, and nn holds what the networks share. Imports point
// only in that order.
package fsnet
