// Package fused makes the step of package method fast, with the same losses, gradients and
// parameters except for rounding.
//
// # What makes it fast
//
//   - layout.go, block.go: the features in blocks that fit into a processor's caches, and in parts
//     that keep two threads busy;
//   - fold.go: the rows of Φ of the last class follow from the others, and are not read;
//   - sample.go, reconstruct.go, predictor.go: wide matrices, K×d and h'×d, differentiated by hand,
//     one block at a time;
//   - step.go: the step.
//
// docs/lab/performance.md has the measurements. Only package engine uses this package; tests
// compare it with package method, values and gradients.
package fused
