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
// No program is started: the version of a GoNB is read from its binary. Another version than
// [Version] may work; its error is for people. If programs are missing, the error of [Find] names
// them, has kind Unavailable and the cause exec.ErrNotFound; %fsnet lines work without them.
package toolchain
