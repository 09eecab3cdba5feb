// Package fake is a training that learns nothing, for tests of what holds, shows and steers trainings: it needs no device, and a step of
// it takes no time to speak of.
//
// # Basics
//
// [Open] and [Resume] are what a host opens its trainings with. The data key says what a [Training] does: go well, fail, panic.
//
// # Caveats
//
// Its numbers follow from its settings, seed, step and live keys as a real one's would, and it takes a little time for each chunk, so that
// there is a run to interrupt.
package fake
