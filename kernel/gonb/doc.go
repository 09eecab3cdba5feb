// Package gonb runs GoNB, which compiles and runs Go cells, as a child of the kernel and relays to
// it.
//
// # Basics
//
// [FindTools] finds the programs. A [Workspace] is the private directory in which GoNB works,
// with a prepared Go module. [Start] starts a [Child] there. [Child.Execute] runs one cell, passes
// its output to a function and returns its error.
//
//	child, err := gonb.Start(ctx, workspace)
//	reply, err := child.Execute(ctx, gonb.Cell{Request: request, Code: code, Publish: publish})
//
// # What it adds to GoNB
//
// A failing cell has exactly one error (errorfilter.go), without the streams and pages in which
// GoNB repeats it. An interrupt also reaches a cell that is still compiling. GoNB's temporary files
// and sockets lie in the workspace, its children end with it, and a GoNB that hangs is given up.
//
// The installer builds GoNB with the patches of install/gonb; [CheckVersion] recognises that
// build. The patches keep the order of a program's output, take commands as words (package cell
// parses them), and add to each reply the declarations that GoNB remembers and the cell and line
// from which each line of its program came. From these, memory.go makes the package in which a cell
// would be compiled, for completion ([Child.Package]), and place.go maps errors to cells.
// compile.go translates the errors of the compiler and panics, and adds hints.
//
// The go command that GoNB finds first on its PATH is a script (go.sh). It prepares the module so
// that cells import fsnetlab packages without a network, builds with settings of its own
// (settings.go), and asks the network only after a build has missed a package. GoNB finds no gopls:
// the kernel has its own.
//
// # Caveats
//
// Values do not survive from one cell to the next, declarations do. A killed GoNB loses the
// declarations.
package gonb
