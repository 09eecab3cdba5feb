// Package toolchain finds what Go cells need on a machine.
//
// # Basics
//
//	tools, err := toolchain.Find(home)   // go, gonb, goimports, gopls: below home, then on the PATH
//	source := toolchain.Source(home)     // the packages that cells import as fsnetlab/…
//	err = toolchain.CheckVersion(tools.GoNB)
//
// Start reading with [Find].
//
// # Caveats
//
// No program is started: the version of a GoNB is read from its binary. A
// version other than [Version] may work, and its error is only a warning for
// the user. If programs are missing, the error of [Find] names them, is of kind
// Unavailable and has the cause exec.ErrNotFound. %fsnet lines work without
// these programs.
package toolchain
