// Package session defines the live training: its verbs, their data types,
// and how to call them, in the same process or over a private socket.
//
// # Basics
//
// A [Session] is a handle: a name and a configuration. [Use] returns one
// without cost, I/O or failure. Its first verb attaches to the training with
// that name, or opens it. The training runs in another process and outlives
// the cells of the notebook.
//
//	var s = session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
//	s.Must().Step(200)                        // in a cell: ends it with one readable line on error
//	status, err := s.Step(ctx, 200)           // in a program
//
// Start with [Use] and [Session.Step]. You can pause, rewind and branch a
// training:
//
//	s.Must().Run(session.Until{Wait: new(false)}) // in the background: other cells can run
//	s.Must().Pause()
//	s.Must().Rewind(100)                          // exactly as it stood after step 100
//	branch := s.Must().Fork("warmer", -1)         // another session with the same past
//
// A program that follows the training should watch it rather than poll it.
//
//	err := s.Watch(ctx, session.WatchRequest{Selection: true}, func(u session.Update) { draw(u.Status, u.Selection) })
//
// [Verb] defines the table of verbs, with names and types. A [Caller]
// answers them: a host, or a [Client] connected to the socket that a
// [Server] serves. [On] returns a handle of a session at a caller. One
// conformance suite runs against both kinds of callers.
//
// # Caveats
//
// Rewinding discards later steps, so fork first if you want to keep them. A
// rewind doesn't reset the number of looks at the test rows.
//
// The package uses the standard library without net and net/http, because
// every notebook cell links it and waits for that.
package session
