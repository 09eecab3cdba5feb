// Package kernel is the Jupyter kernel: a front for GoNB that answers %fsnet lines itself and owns
// the process that trains.
//
// # Basics
//
// A [Kernel] listens at the ports of its connection file ([Options]) and runs until it is asked to
// shut down ([Kernel.Run]). It has three children, started when they are first needed: GoNB for Go
// cells (package gonb), gopls for questions about their code (package gopls), and a host for
// sessions. Cells find the kernel at a private socket: session verbs are forwarded to the host, a
// view is drawn under the cell that asks.
//
//	front end ──ZeroMQ──▶ Kernel ──▶ magic.Interpreter ──▶ host          a cell of %fsnet lines
//	                        └──────▶ gonb ──▶ cell ──socket──▶ Kernel ──▶ host     a Go cell
//
// Cells of one shell run one at a time. All other requests (completion, inspection, history, comms,
// interrupts) are answered at once, also while a cell runs. Front ends may create subshells: their
// %fsnet lines run side by side, their Go cells in turn (lockCells).
//
// # Protocol
//
// Jupyter's messaging 5.5, with subshells (JEP 91). Replies come on the socket of their request. A
// silent cell publishes nothing, is not counted or kept in the history, and its failure does not
// abort other cells. A user expression that is a %fsnet line returns its output; any other returns
// an error. There is no debugger.
//
// # Caveats
//
// An interrupt pauses a step or run and keeps its progress. It ends a Go cell and all programs that
// the cell has started, as Ctrl-C in a terminal does: programs that handle it have as much time as
// they need (5.5 s after their cell has ended), others 0.6 s, and a second interrupt ends the wait.
// GoNB adopts the orphans of its cells. They end with the kernel, with GoNB, or within a second of
// the kernel's death (watched.sh), except programs started with FSNET_KEEP=1 in a session of their
// own. This holds on Linux; elsewhere GoNB interrupts the cell's own process and kills it after
// five seconds. Cells queued behind an interrupted or failed cell are aborted. The death of a child
// is reported in the cell that needed it, and the next cell starts another.
package kernel
