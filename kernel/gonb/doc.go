// Package gonb runs GoNB as a child of the kernel. GoNB compiles and runs Go
// cells.
//
// # Basics
//
// [FindTools] finds the programs. A [Workspace] is the private directory in
// which GoNB works, with a prepared Go module. [Start] starts a [Child] there.
// [Child.Execute] runs one cell, passes its output to a function and returns
// its error.
//
//	child, err := gonb.Start(ctx, workspace)
//	reply, err := child.Execute(ctx, gonb.Cell{Request: request, Code: code, Publish: publish})
//
// Start reading with [Child.Execute] in run.go.
//
// # What it adds to GoNB
//
// A failing cell has exactly one error (errorfilter.go), without the streams
// and pages in which GoNB repeats it. An interrupt also reaches a cell that is
// still compiling. GoNB's temporary files and sockets are in the workspace, its
// children end with it, and a GoNB that hangs is given up.
//
// The installer builds GoNB with the patches of install/gonb, and [CheckVersion]
// recognises that build. The patches keep the order of a program's
// output and take commands as words, which package cell parses. They add to
// each reply the declarations that GoNB remembers, and the cell and line from
// which each line of its program came. With these, memory.go builds the package
// in which a cell would be compiled, for completion ([Child.Package]), and
// place.go maps errors to cells. compile.go translates panics and the errors of
// the compiler, and adds hints.
//
// The go command that GoNB finds first on its PATH is a script (go.sh). It
// prepares the module so that cells can import fsnetlab packages without a
// network. It builds with separate settings (settings.go), and uses the network
// only after a build has missed a package. GoNB finds no gopls, because the
// kernel runs one itself.
//
// # Caveats
//
// Declarations survive from one cell to the next, but values don't. If GoNB is
// killed, the declarations are lost.
package gonb
