// Package embedding computes φ(u_j), the numbers that FsNet's weight predictors see of feature j,
// from its values in the training rows. [Table] and [Target] are these rows.
//
// The key embedding chooses: histogram is the paper's (histogram.go), histogram-counts the authors'
// program's, and the others see the classes (class_deviation.go, class_t.go), which is the repair
// that protocol=fsnet needs most.
package embedding
