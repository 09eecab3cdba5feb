// Package fsnet is the door to FsNet, the feature selection network of Singh et al., for a Go program.
//
// # Nouns
//
//   - [Fit] trains on a data set and returns a [Model];
//   - a [Model] is what came out: K features by name, and a network that reads them. [Model.Save] writes it to a file, [Load] reads it.
//
// # Basics
//
//	data, err := dataset.Open(ctx, settings, ".")
//	model, err := fsnet.Fit(ctx, data, fsnet.Config{K: 10})
//	for _, feature := range model.Selected { fmt.Println(feature.Name, feature.Probability) }
//
// # The rooms behind it
//
// Package train has the live training, which a notebook steps and looks into; method is FsNet as the paper writes it, method/fused the same
// step fast; engine compiles and runs it, device is where; nn is what every network here shares. Imports point in that order only.
package fsnet
