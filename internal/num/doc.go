// Package num is what FsNet computes with beside Go's own numbers: a generator for each random choice ([RNG]), the order of a list's values
// ([Argsort], [Argmax], [TopK]: equal values stay in their order, NaN counts as the least), and floats of 16 bits ([Half]).
package num
