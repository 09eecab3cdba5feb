// Package session is the live training: its verbs, their data types, and how they are asked for, in the same process or over a private
// socket.
//
// # Basics
//
// A [Session] is a handle: a name and a configuration. Making one ([Use]) costs nothing, does no I/O and never fails; its first verb
// attaches to the training of that name, or opens it. A training lives in another process and goes on living between notebook cells.
//
//	var s = session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
//	s.Must().Step(200)                        // in a cell: ends it with one readable line on error
//	status, err := s.Step(ctx, 200)           // in a program
//
// A training can be held still, rewound and branched:
//
//	s.Must().Run(session.Until{Wait: new(false)}) // in the background: other cells go on
//	s.Must().Pause()
//	s.Must().Rewind(100)                          // exactly as it stood after step 100
//	branch := s.Must().Fork("warmer", -1)         // another session with the same past
//
// A program that is to see it move watches it: nothing polls.
//
//	err := s.Watch(ctx, session.WatchRequest{Selection: true}, func(u session.Update) { draw(u.Status, u.Selection) })
//
// The verbs are a table, [Verb], of names and types. A [Caller] answers them: a host, or a [Client] at the socket that a [Server] serves;
// [On] is the handle of a session there. One conformance suite runs against both.
//
// # Caveats
//
// Rewinding forgets what came later; fork first to keep it. Looks at the test rows are not forgotten.
//
// The package uses the standard library without net and net/http: it is linked into every notebook cell, and links are what a cell waits
// for.
package session
