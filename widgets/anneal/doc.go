// Package anneal is the live view of the annealing: the schedules of temperature and sharpness, whose points ahead can be moved, and what
// each selector is about to choose.
//
// # Basics
//
// A [View] shows one session. It is a module in the page (frontend's anneal.js) and its state. What a person drags arrives as a message
// with the points ahead; [Drawn.Compose] makes a schedule of them, and the session's verb set puts it in force from the next step on.
//
//	v := anneal.New(ctx, manager, service, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
//
// # Caveats
//
// What lies behind the present step is history and stays: the curve shows what was in force. A schedule that was edited begins at the
// present step with the value of now.
package anneal
