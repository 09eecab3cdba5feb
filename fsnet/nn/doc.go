// Package nn is what the networks here share - FsNet's and those that it is compared with: layers, dropout, optimisers, noise that is a
// function of (seed, purpose, step, index), and the loop that makes many steps in one call of a device.
//
// # Basics
//
// A method writes one step as a graph, a [Step]: from parameters and a batch to the parameters after it. A [Loop] makes it many times:
//
//	program := nn.Program{Name: "cae", Key: settings, Step: step, Metrics: 2, Rows: batch, Numbers: 3}
//	loop, err := nn.NewLoop(scope, program, state, fixed, seed)
//	defer loop.Close()
//	err = loop.Run(ctx, steps, plan, report)
//	parameters := loop.State()
//
// plan gives the rows and numbers (rates, temperatures) of a step, which the host decides; everything else is on the device. What was
// fitted predicts in plain Go, as a [Perceptron].
//
// # Caveats
//
// A step is a function of (state, seed, its number, its plan): into how many calls a training is cut makes no difference, and the same
// seed on the same device gives the same bits. On XLA the steps of a call are a While; on GoMLX's own backend, whose loops cannot hold
// gradients, a call is one step.
//
// GoMLX panics where shapes do not fit. Whoever compiles a graph turns the panic into an error (device.Guard).
package nn
