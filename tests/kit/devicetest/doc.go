// Package devicetest gives tests the devices of this machine, each opened once.
//
// # Basics
//
//	for _, d := range devicetest.All(t) { … } // every device that can be opened; the Go backend where there is no plugin
//
// A package whose tests train but do not judge steps calls [Main] in its TestMain, so that XLA compiles without optimising, which is
// faster; [MainApart] does so for a few tests alone, in a process of their own.
//
// # Caveats
//
// Unoptimised programs round otherwise. Do not compare their bits with those of users' programs.
package devicetest
