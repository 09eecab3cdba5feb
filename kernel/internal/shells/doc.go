// Package shells keeps the shells of a kernel, in which cells wait for their turn: the main one, and the subshells that a front end makes
// beside it (JEP 91 of the Jupyter protocol, version 5.5).
//
// # Basics
//
// [New] is the main shell; [Set.Create], [Set.Delete] and [Set.IDs] are the three requests of the protocol; [Set.Find] leads from the
// subshell_id of a message's header to the [Shell] that is meant. The kernel puts cells into a shell and has one goroutine each that
// takes them out.
//
// # Caveats
//
// A shell knows nothing of what runs in it: whether cells of two shells may run side by side is the kernel's to decide.
package shells
