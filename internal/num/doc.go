// Package num supplements Go's own numerics: a random generator for each
// purpose ([RNG]), the order of a list's values ([Argsort], [Argmax], [TopK]),
// and 16-bit floats ([FromHalf]). Equal values keep their order, and NaN counts
// as the smallest value.
package num
