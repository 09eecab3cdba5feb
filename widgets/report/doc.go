// Package report makes one HTML page of sessions, or of results, to be kept or sent.
//
// # Nouns
//
//   - a [Session] is all that a report says of one: status, curves, chosen features, rows behind them, and evaluations; [Gather] asks a
//     service for it;
//   - a [Section] is a piece of a page of results: words, a command, pictures.
//
// # Basics
//
//	one, err := report.Gather(ctx, session.On(host, "leukemia"), report.Options{Test: true})
//	page, err := report.HTML([]report.Session{one}, new(chart.Palette), version, libraries)
//
//	page, err = report.Results("What ten genes tell", []report.Section{{Title: "Accuracy", Pictures: pictures}}, version, libraries)
//
// A page of sessions says how each is made again: [Session.Again] is the lines of a notebook, [Session.Command] that of a shell, if one is
// enough.
//
// # Caveats
//
// A page needs no network: pictures and style stand inside, it runs no script, and its security policy forbids it to fetch anything. It is
// refused where it would be larger than [Most] bytes. [Options] decide whether Gather looks at the test rows, which the session counts. A
// session that runs is refused with kind Busy, since a report is of one step.
package report
