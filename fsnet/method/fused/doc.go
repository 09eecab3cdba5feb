// Package fused is the step of package method, fast: the same losses, gradients and parameters, but for rounding.
//
// # What makes it fast
//
//   - layout.go, block.go: the features in blocks that fit into a processor's caches, and in parts that keep two threads busy;
//   - fold.go: the rows of Φ of one class follow from those of the others, and are not read;
//   - sample.go, reconstruct.go, predictor.go: what is wide, K×d and h'×d, differentiated by hand, a block at a time;
//   - step.go: all of it together.
//
// docs/lab/performance.md has the figures. Only package engine uses it; tests hold it to package method's values and gradients.
package fused
