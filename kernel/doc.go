// Package kernel is the Jupyter kernel. It puts GoNB behind a front that
// answers %fsnet lines itself and owns the process that trains.
//
// # Basics
//
// A [Kernel] listens at the ports of its connection file ([Options]) and runs
// until it is asked to shut down ([Kernel.Run]). It has three children that it
// starts when they are first needed: GoNB for Go cells (package gonb), gopls
// for questions about their code (package gopls), and a host for sessions.
// Cells find the kernel at a private socket. The kernel forwards session verbs
// to the host, and draws a view below the cell that asks for it.
//
//	front end ──ZeroMQ──▶ Kernel ──▶ magic.Interpreter ──▶ host          a cell of %fsnet lines
//	                        └──────▶ gonb ──▶ cell ──socket──▶ Kernel ──▶ host     a Go cell
//
// Cells of one shell run one at a time. All other requests (completion,
// inspection, history, comms, interrupts) are answered at once, even while a
// cell runs. Front ends may create subshells. Their %fsnet lines run
// concurrently, but their Go cells take turns (lockCells).
//
// Start reading with [Kernel.Execute]: it runs one cell. Then read serveCells
// for what a cell's program asks for.
//
// [InstallSpec] registers the kernel with Jupyter. It writes a folder with the
// logo and kernel.json, the file that holds the command that starts the kernel.
// It replaces a kernelspec of ours, but no other one of that name. A command
// that starts with [ResourceDir] lies next to the kernelspec, as in a wheel. If
// a program with another command moves, you must install it again, as
// [CheckSpec] reports.
//
// # Protocol
//
// The kernel speaks version 5.5 of Jupyter's messaging protocol, with subshells
// (JEP 91). Replies come on the socket of their request. A silent cell
// publishes nothing, isn't counted or kept in the history, and doesn't abort
// other cells when it fails. A user expression that is a %fsnet line returns
// its output. Any other expression returns an error. There is no debugger.
//
// # Caveats
//
// An interrupt pauses a step or run and keeps its progress. It ends a Go cell
// and all programs that the cell has started, as Ctrl-C in a terminal does.
// Programs that handle the interrupt have as much time as they need (5.5 s
// after their cell has ended), and others have 0.6 s. A second interrupt ends
// the wait. GoNB adopts the orphans of its cells. They end with the kernel,
// with GoNB, or within a second of the kernel's death (watched.sh), except for
// programs started with FSNET_KEEP=1 in a new session. This holds on Linux.
// Elsewhere GoNB interrupts only the process it started for the cell, and kills
// that after five seconds. Cells that wait behind an interrupted or failed cell
// are aborted. If a child dies, the cell that needed it reports the death, and
// the next cell starts another child.
package kernel
