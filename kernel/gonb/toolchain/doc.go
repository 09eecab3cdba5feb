// Package toolchain finds what Go cells need on a machine.
//
// # Basics
//
//	tools, err := toolchain.Find(home)   // go, gonb, goimports, gopls: below home, then on the PATH
//	source := toolchain.Source(home)     // the packages that cells import as fsnetlab/…
//	err = toolchain.CheckVersion(tools.GoNB)
//
// # Caveats
//
// Nothing is started to find out: the version of a GoNB is read from its binary. One of another version than [Version] may work all the
// same; its error is for people to see. Where programs are missing the error of [Find] names them, is of kind Unavailable, and has the
// cause exec.ErrNotFound: magics work without them.
package toolchain
