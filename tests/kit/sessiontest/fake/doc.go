// Package fake is a training that learns nothing. Tests of hosts, watchers and
// views use it, because it needs no device and its steps take almost no time.
//
// # Basics
//
// Start reading with Training.Step. [Open] and [Resume] open trainings for a
// host. The data key says whether a [Training] goes well, fails or panics.
//
// # Caveats
//
// Its numbers depend on its settings, seed, step and live keys, as a real
// training's do. Each chunk takes a little time, so that a test can interrupt a
// run.
package fake
