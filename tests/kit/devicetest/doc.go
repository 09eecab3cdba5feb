// Package devicetest opens the devices of this machine for tests, once each.
//
// # Basics
//
//	for _, d := range devicetest.All(t) { … } // every device; only the Go backend without a plugin
//
// If the tests of a package train but don't examine steps, you should call
// [Main] in its TestMain. XLA then compiles faster, because it doesn't
// optimise. [MainApart] does so for a few tests, in another process. Start
// reading with [All].
//
// # Caveats
//
// Unoptimised programs round differently. Don't compare their bits with
// programs that users run.
package devicetest
