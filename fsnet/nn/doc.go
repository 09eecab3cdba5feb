// Package nn is what the networks here share: layers, dropout, and noise that is a function of (seed, purpose, step, index).
//
// # Replicas
//
// What these functions read and return may have one axis more in front, of R replicas, each with its own parameters, data, seed and
// hyperparameters: nothing is added up over that axis. [Einsum], [Reshape], [Spread] and [Element] carry it along; without it they are the
// plain operations.
//
// # Caveats
//
// GoMLX panics where shapes do not fit. Whoever compiles a graph turns the panic into an error (package engine does).
package nn
