// Package nn holds what FsNet shares with the networks it is compared with:
// layers, dropout, optimisers, noise as a function of (seed, purpose, step,
// index), and a loop that makes many steps in one device call.
//
// Start with [Loop.Run].
//
// # Basics
//
// A method writes one step as a graph, a [Step]. It maps parameters and a
// batch to the next parameters. A [Loop] repeats it:
//
//	program := nn.Program{Name: "cae", Key: settings, Step: step, Metrics: 2, Rows: batch, Numbers: 3}
//	loop, err := nn.NewLoop(scope, program, state, fixed, seed)
//	defer loop.Close()
//	err = loop.Run(ctx, steps, plan, report)
//	parameters := loop.State()
//
// plan supplies the rows and numbers (rates, temperatures) of each step from
// the host. Everything else stays on the device. The fitted network predicts
// in plain Go, as a [Perceptron].
//
// # Caveats
//
// A step is a function of (state, seed, its number, its plan). So it does
// not matter how you divide a training into calls, and the same seed on the
// same device gives the same bits. On XLA the steps of a call are a While.
// GoMLX's own backend cannot hold gradients in a loop, so there a call is
// one step.
//
// GoMLX panics if shapes do not fit. Callers that compile a graph turn the
// panic into an error (device.Guard).
package nn
