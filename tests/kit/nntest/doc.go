// Package nntest computes the noise of graphs in plain Go, for tests that
// compute a step by hand.
//
// [Uniform] returns the number that a graph draws for (seed, use, step, index).
package nntest
