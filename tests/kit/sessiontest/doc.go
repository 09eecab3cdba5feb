// Package sessiontest is a suite of tests that every host of sessions must pass.
//
// # Basics
//
// [Conform] runs the suite on a service whose trainings are package fake's. [ConformOn] runs it on
// other engines, described by [Subjects]. The host runs it in-process, over its socket, and with
// the real engine.
package sessiontest
