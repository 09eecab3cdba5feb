// Package matrix is the live view of a selection matrix: a heat map that follows the run, with its past behind a slider and its features
// behind its cells.
//
// # Basics
//
// A [View] shows one session. It is a module in the page (frontend's matrix.js) and its state: which matrix, how many columns, which
// step, and the numbers of the heat map as float32.
//
//	v := matrix.New(ctx, manager, service, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
//
// # Caveats
//
// The session sends the columns that hold mass; the view is told of it as often as [bytesPerSecond] allows, ten times a second at the
// most. A past step is made again by the session, which can take a moment: the caption says which step is shown.
package matrix
