// Package laboratory tries what a notebook kernel withstands: the tests and fsnet bench kernel share it.
//
// # Basics
//
// A [Kernel] is one in a process of its own, with a front end that talks to it ([Start]). [Flood] sends it messages that are malformed,
// wrongly signed, replayed or senseless. [Crashes] is a notebook in directories of its own whose processes are killed with SIGKILL one
// after another, each at a moment that a seed draws ([Crashes.Next]), and that is looked at after each. A [Use] is what processes have
// of the machine.
//
//	crashes, err := laboratory.NewCrashes(ctx, laboratory.CrashOptions{Seed: 1})
//	defer crashes.Close()
//	for range 24 {
//		crash, err := crashes.Next(ctx)
//		…
//	}
//	report := crashes.End(ctx)
//
// # Caveats
//
// Processes are looked at in /proc: where there is none, [Visible] is false and nothing here can be measured. Nothing is killed but what
// the laboratory has started, which carries a mark in its environment. A closed laboratory leaves no process and no file, also where the
// context ended.
package laboratory
