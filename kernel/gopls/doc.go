// Package gopls asks Go's language server about unsaved code: completions and documentation.
//
// # Basics
//
// [Start] starts a [Server] on a directory that holds a Go module. [Server.Complete] returns the
// [Item] list at a [Position], [Server.Hover] the documentation there as Markdown. Both take the
// package's present [File] list and first send what has changed since the last question.
// [Server.Reload] announces a changed go.mod.
//
//	server, err := gopls.Start(ctx, gopls.Options{Program: "/…/gopls", Directory: dir})
//	files := []gopls.File{{Name: "cell.go", Text: "package main\n…"}}
//	items, err := server.Complete(ctx, files, gopls.Position{File: "cell.go", Line: 3, Column: 9})
//
// A position counts lines and Unicode characters from 0, as Jupyter does; the protocol's UTF-16
// units stay inside this package.
//
// # Caveats
//
// Questions are answered one at a time; a second one waits as long as its context lasts. A question
// whose context ends is cancelled. The server gets its module's directory, a cache, and no network,
// so it does not complete what is not on this machine. It ends when its input closes, and so with
// this process, however that ends.
package gopls
