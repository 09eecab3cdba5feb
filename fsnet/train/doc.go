// Package train is the live training: you can advance it by steps, inspect it,
// adjust it while it runs, rewind it and fork it.
//
// Start with [Training.Advance]. It makes steps and looks at the selection in
// between.
//
// # Nouns
//
//   - A [Training] is one live training, a [session.Training]. Its methods
//     are the verbs of a session and return the types of package session.
//   - An [Opener] opens the trainings of a host, with the devices that they
//     share.
//   - A [Checkpoint] holds all that is needed to [Resume] a training in
//     another process.
//   - [Fitted] holds the parts of a model. Package fsnet assembles it.
//   - A [Reader] reads checkpoints and models. Its results are invalid if
//     its Err is set then or later.
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
// Only one goroutine may use a Training at a time. Features enter the graph
// sorted by name, and classes in the order in which they first appear in the
// rows. So neither the order of the columns nor the names of the classes
// influence the result.
package train
