// Package neural is what the neural methods of package baseline share: a [Device] that keeps compiled programs, a [Loop] that makes many
// steps of a training in one call, a counter-based [Noise], optimisers and a fitted [Perceptron].
//
// # Basics
//
// A method writes one step as a graph, a [Step]. From parameters and a batch to the parameters after it:
//
//	loop, err := device.Loop(neural.Program{Name: "cae", Key: settings, Step: step, Metrics: 2, Rows: batch, Numbers: 3}, state, fixed, seed)
//	defer loop.Close()
//	err = loop.Run(ctx, steps, plan, report)
//	parameters, err := loop.State()
//
// plan gives the rows and numbers (rates, temperatures) of a step, which the host decides; everything else is on the device.
//
// # Caveats
//
// A step is a function of (state, seed, its number, its plan): into how many calls a training is cut makes no difference, and the same
// seed on the same device gives the same bits.
//
// On XLA the steps of a call are a While, on GoMLX's own backend, whose loops cannot hold gradients, a call is one step.
package neural
