// Package sessiontest says what every host of sessions must do, as one suite of tests.
//
// # Basics
//
// [Conform] runs the suite on a service whose trainings are those of package fake. [ConformOn] runs it on others, described by [Subjects]:
// the host runs it in-process, over its socket, and with the real engine.
package sessiontest
