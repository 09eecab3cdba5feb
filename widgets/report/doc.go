// Package report writes HTML pages of sessions, or of results, to keep or to
// send.
//
// # Nouns
//
//   - A [Session] is everything that a report says about one session: status,
//     curves, chosen features, their rows, and evaluations. [Gather] requests
//     it from a service.
//   - A [Section] is a piece of a page of results: words, a command, pictures.
//
// # Basics
//
//	one, err := report.Gather(ctx, session.On(host, "leukemia"), report.Options{Test: true})
//	page, err := report.HTML([]report.Session{one}, new(chart.Palette), version, libraries)
//
//	page, err = report.Results("What ten genes tell", []report.Section{{Title: "Accuracy", Pictures: pictures}}, version, libraries)
//
// A page of sessions says how to repeat each one. [Session.Again] returns the
// lines of a notebook, and [Session.Command] returns a command line, if one
// suffices.
//
// Start reading with [HTML], which fills page.html.
//
// # Caveats
//
// A page needs no network: pictures and style are inside, it runs no script,
// and its security policy forbids it to fetch anything. A page larger than
// [Most] bytes is an error. [Options] decide whether Gather looks at the test
// rows, because the session counts these looks. If the session is running,
// Gather returns an error of kind Busy, because a report describes one step.
package report
