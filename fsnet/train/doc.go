// Package train is the live training: advanced by steps, inspected, adjusted while it goes, rewound and forked.
//
// # Nouns
//
//   - a [Training] is one live training, a [session.Training]: its verbs are those of a session, whose types it answers with;
//   - an [Opener] opens the trainings of a host, with the devices that they share;
//   - a [Checkpoint] is all that is needed to [Resume] it in another process;
//   - [Fitted] is what it has come to: package fsnet makes a model of it;
//   - a [Reader] takes checkpoints and models apart. What it returned is not to be used where its Err is set, then or later.
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
// A Training is for one goroutine at a time. Features enter the graph sorted by name and classes in the order in which they first appear
// in the rows, so that neither the order of the columns nor the names of the classes has any influence on the result.
package train
