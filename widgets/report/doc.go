// Package report writes HTML pages of sessions, or of results, to keep or to send.
//
// # Nouns
//
//   - a [Session] is all that a report says of one session: status, curves, chosen features, their
//     rows, and evaluations; [Gather] requests it from a service;
//   - a [Section] is a piece of a page of results: words, a command, pictures.
//
// # Basics
//
//	one, err := report.Gather(ctx, session.On(host, "leukemia"), report.Options{Test: true})
//	page, err := report.HTML([]report.Session{one}, new(chart.Palette), version, libraries)
//
//	page, err = report.Results("What ten genes tell", []report.Section{{Title: "Accuracy", Pictures: pictures}}, version, libraries)
//
// A page of sessions says how to repeat each: [Session.Again] returns the lines of a notebook,
// [Session.Command] a command line, if one suffices.
//
// # Caveats
//
// A page needs no network: pictures and style are inside, it runs no script, and its security
// policy forbids it to fetch anything. A page larger than [Most] bytes is an error. [Options]
// decide whether Gather looks at the test rows, which the session counts. A running session is an
// error of kind Busy, because a report describes one step.
package report
