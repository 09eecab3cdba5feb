// Package nntest has the noise of graphs in plain Go, for tests that compute a step by hand.
//
// [Uniform] is the number that a graph draws for (seed, use, step, index).
package nntest
