// Package kernel is the Jupyter kernel: a front for GoNB that answers %fsnet lines itself and owns the process that trains.
//
// # Basics
//
// A [Kernel] listens where its front end said ([Options]) and runs until it is told to shut down ([Kernel.Run]). It has three children,
// started when they are first needed: GoNB for Go cells (package gonb), gopls for questions about their code (package gopls), and a host
// for sessions. Cells find the kernel at a private socket: session verbs are forwarded to the host, a view is drawn under the cell that
// asks.
//
//	front end ──ZeroMQ──▶ Kernel ──▶ magic.Interpreter ──▶ host          a cell of %fsnet lines
//	                        └──────▶ gonb ──▶ cell ──socket──▶ Kernel ──▶ host     a Go cell
//
// Cells run one at a time. Everything else (completion, inspection, history, interrupts) is answered at once, also while a cell runs.
//
// # Caveats
//
// An interrupt pauses a step or run and keeps what was trained; it ends a Go cell. Cells queued behind an interrupted or failed one are
// aborted. A child that dies is reported in the cell that needed it and started again by the next one.
package kernel
