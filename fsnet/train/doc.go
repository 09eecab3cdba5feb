// Package train is the live training: it is advanced by steps, inspected, adjusted while it runs,
// rewound and forked.
//
// # Nouns
//
//   - a [Training] is one live training, a [session.Training]: its methods are the verbs of a
//     session and return the types of package session;
//   - an [Opener] opens the trainings of a host, with the devices that they share;
//   - a [Checkpoint] holds all that is needed to [Resume] a training in another process;
//   - [Fitted] holds the parts of a model, which package fsnet makes;
//   - a [Reader] reads checkpoints and models. Its results are invalid if its Err is set then or
//     later.
//
// # Basics
//
//	t, err := train.Open(ctx, device, data, settings)
//	defer t.Close()
//	for made := 1; made > 0; { made, err = t.Advance(ctx, 100) }
//	selected, err := t.Selection()
//
// # Caveats
//
// A Training is for one goroutine at a time. Features enter the graph sorted by name, and classes
// in the order in which they first appear in the rows, so neither the order of the columns nor the
// names of the classes influence the result.
package train
