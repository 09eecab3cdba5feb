// Package gopls asks Go's language server about unsaved code, for completions
// and documentation.
//
// # Basics
//
// [Start] starts a [Server] on a directory that holds a Go module.
// [Server.Complete] returns the [Item] list at a [Position]. [Server.Hover]
// returns the documentation there as Markdown. Both take the current [File]
// list of the package, and first send what has changed since the last question.
// [Server.Reload] announces a changed go.mod.
//
//	server, err := gopls.Start(ctx, gopls.Options{Program: "/…/gopls", Directory: dir})
//	files := []gopls.File{{Name: "cell.go", Text: "package main\n…"}}
//	items, err := server.Complete(ctx, files, gopls.Position{File: "cell.go", Line: 3, Column: 9})
//
// A position counts lines and Unicode characters from 0, as Jupyter does. The
// protocol's UTF-16 units stay inside this package.
//
// Start reading with Server.ask. All questions use it.
//
// # Caveats
//
// Questions are answered one at a time. A second one waits as long as its
// context lasts. If the context of a question ends, the question is canceled.
// The server gets its module's directory, a cache, and no network, so it can't
// complete what isn't on this machine. It ends when its input is closed, and
// therefore together with this process, even if this process is killed.
package gopls
