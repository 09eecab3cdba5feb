// Package sessiontest is a suite of tests that every host of sessions must
// pass.
//
// # Basics
//
// [Conform] runs the suite on a service whose trainings are those of package
// fake. [ConformOn] runs it on other engines, described by [Subjects]. The host
// runs it in-process, over its socket, and with the real engine. Start reading
// with the table in ConformOn.
package sessiontest
