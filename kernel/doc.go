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
// Cells of one shell run one at a time. Everything else (completion, inspection, history, comms, interrupts) is answered at once, also
// while a cell runs. Front ends may make other shells beside the main one (subshells): %fsnet lines run in all of them side by side, Go
// cells in turn (lockCells says why).
//
// # Protocol
//
// Jupyter's messaging 5.5, with subshells (JEP 91). Replies come on the socket of their request. A silent cell publishes nothing,
// is not counted and not remembered, and stops no other where it fails. Each of a request's user expressions is answered for itself: a
// %fsnet line by what it shows, anything else by an error. Cells ask their user with widgets.Ask, shell lines with GoNB's %with_inputs. There is no debugger.
//
// # Caveats
//
// An interrupt pauses a step or run and keeps what was trained; it ends a Go cell and all programs that the cell has started, as
// Ctrl-C in a terminal does: those that clean up have the time that they take (5.5 s once their cell has ended), those that ignore it
// 0.6 s, and a second interrupt ends the wait. GoNB adopts what its cells leave behind, so it is found wherever it went. It ends with the
// kernel, with GoNB, or within a second of the kernel's death (watched.sh), but for what was started with FSNET_KEEP=1 in a session of its
// own. (On Linux. Elsewhere GoNB interrupts the cell's own process and kills it after five seconds; that is all.) Cells queued behind an
// interrupted or failed one are aborted. A child that dies is reported in the cell that needed it and started again by the next one.
package kernel
