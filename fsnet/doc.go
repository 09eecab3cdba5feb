// Package fsnet is FsNet, the feature selection network of Singh et al., as a GoMLX graph, and its training.
//
// # Nouns
//
//   - a [Device] is where graphs run: XLA on a GPU or CPU, or GoMLX's Go backend;
//   - a [Training] is one live training: advanced by steps, looked into, adjusted while it goes;
//   - a [Model] is what came out: K features by name, and a network that reads them.
//
// # Basics
//
//	data, err := dataset.Open(ctx, settings, ".")
//	model, err := fsnet.Fit(ctx, data, fsnet.Config{K: 10})
//	for _, feature := range model.Selected { fmt.Println(feature.Name, feature.Probability) }
//
// The symbols of the paper are used in comments, spelled-out names in code. Shapes: n rows, d features, K selectors, b embedding
// dimensions, B rows a batch, C classes, h' the decoder's last width. Matrices over features are held K×d and h'×d, the feature axis
// last, so that reductions and products run along contiguous memory.
//
// # Caveats
//
// GoMLX panics while it builds graphs; every graph is built behind one boundary that turns a panic into an error naming the program
// and its shapes. A Training is for one goroutine at a time.
//
// Features enter the graph sorted by name and classes in the order in which they first appear in the rows, so that neither the order
// of the columns nor the names of the classes has any influence on the result.
package fsnet
