// Package fused makes the step of package method fast, with the same losses,
// gradients and parameters except for rounding. Start with [Layout.Step].
//
// # What makes it fast
//
//   - layout.go, block.go: the features are in blocks that fit into the
//     caches of a processor, and in parts that keep two threads busy.
//   - fold.go: the rows of Φ of the last class follow from the others, and a
//     step does not read them.
//   - sample.go, reconstruct.go, predictor.go: wide matrices, K×d and h'×d,
//     are differentiated by hand, one block at a time.
//   - step.go: the step
//
// docs/lab/performance.md has the measurements. Only package engine uses
// this package. Tests compare it with package method, values and gradients.
package fused
