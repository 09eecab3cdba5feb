// Package num supplements Go's own numerics: a random generator for each purpose ([RNG]), the order
// of a list's values ([Argsort], [Argmax], [TopK]: ties keep their order, NaN counts as smallest),
// and 16-bit floats ([FromHalf]).
package num
