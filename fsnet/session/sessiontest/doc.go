// Package sessiontest says what every session.Service must do, as one suite of tests, and holds an engine that is fast enough for it.
//
// # Basics
//
// [Conform] runs the suite on a service whose trainings are [Training]s, made by [Open]. [ConformOn] runs it on others, described by
// [Subjects]: the host runs it in-process, over its socket, and with the real engine.
//
// # Caveats
//
// The engine learns nothing. Its numbers follow from its settings, seed, step and live keys as a real one's would, and it takes a
// little time for each chunk, so that there is a run to interrupt.
package sessiontest
