// Package fsnet is the door to FsNet, the feature selection network of Singh et al., for a Go program.
//
// # Nouns
//
//   - [FitFile] trains on the data that a [Config] names, [Fit] on data in memory (package dataset); both return a [Model];
//   - [FitPath] trains once and returns a [Path]: nested selections, of which a smaller K has the first features of a larger one;
//   - a [Model] is what came out: K features by name, and a network that reads them. [Model.Save] writes it to a file, [Load] reads it.
//
// # Basics
//
//	model, err := fsnet.FitFile(ctx, fsnet.Config{Data: "ALLAML", K: 10})
//	for _, feature := range model.Selected { fmt.Println(feature.Name, feature.Probability) }
//	classes, err := model.PredictNamed(names, rows) // the K columns will do
//
// # The rooms behind it
//
// Package train has the live training, which a notebook steps and looks into; method is FsNet as the paper writes it, method/fused the same
// step fast; engine compiles and runs it, device is where; nn is what every network here shares. Imports point in that order only.
package fsnet
