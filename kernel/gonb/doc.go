// Package gonb runs GoNB, which compiles and runs Go cells, as a child of the kernel and relays to it.
//
// # Basics
//
// Package toolchain finds the tools; a [Workspace] is the private directory in which GoNB works, with a prepared Go module; [Start]
// starts a [Child] there. [Child.Execute] runs one cell: what it prints and displays goes to a function, its error comes back.
//
//	child, err := gonb.Start(ctx, workspace)
//	reply, err := child.Execute(ctx, gonb.Cell{Request: request, Code: code, Publish: publish})
//
// # What it makes good
//
// GoNB's own answers are kept to one shape here (errorfilter.go): exactly one error a cell, without the streams and pages that repeat it; an
// interrupt that also reaches a cell still compiling. Its working directory, temporary files and
// sockets lie in the workspace; its children end with it. One that hangs is given up.
//
// What GoNB itself does wrong is put right in its source: the installer builds it with the patches of install/gonb. Package toolchain tells
// whether it is that one.
//
// GoNB says with each reply what it remembers, and beside the program that it compiles which line of which cell each of its lines was:
// memory.go makes of it the package that a cell would be compiled in, for completion ([Child.Package]), and place.go leads errors back to
// cells. compile.go tells what the compiler said, how a program ended, and what to do about the traps of cells.
//
// The go command that GoNB finds first on its PATH is a script (go.sh): it prepares the module so that cells import fsnetlab packages
// without a network, and asks the network only once a build has missed something. GoNB finds no gopls: the kernel has its own.
//
// # Caveats
//
// Values do not survive from one cell to the next, declarations do. A killed GoNB loses the declarations.
package gonb
