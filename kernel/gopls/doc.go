// Package gopls asks Go's language server about code that is not saved yet: what may stand at a place, and what stands there.
//
// # Basics
//
// [Start] starts a [Server] on a directory that holds a Go module. [Server.Complete] gives the [Item] list at a [Position],
// [Server.Hover] the documentation there as Markdown. Both take the [File] list of the package as it would be now: what differs from
// the question before is sent first. [Server.Reload] says that go.mod has changed.
//
//	server, err := gopls.Start(ctx, gopls.Options{Program: "/…/gopls", Directory: dir})
//	files := []gopls.File{{Name: "cell.go", Text: "package main\n…"}}
//	items, err := server.Complete(ctx, files, gopls.Position{File: "cell.go", Line: 3, Column: 9})
//
// A position counts lines and Unicode characters from 0, as Jupyter does; the protocol counts UTF-16 units, which stays in here.
//
// # Caveats
//
// One question at a time: a second one waits, as long as its context lasts. A question whose context ends is taken back. The server is
// given its module's directory, a cache, and no network: what is not on this machine is not completed. It ends with its input, so also
// with this process, however that went.
package gopls
