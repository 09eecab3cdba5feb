// Package embedding computes φ(u_j), the numbers that FsNet's weight
// predictors see of feature j, from its values in the training rows. [Table]
// and [Target] are these rows. Start with [Compute].
//
// The key embedding chooses one: histogram is the paper's (histogram.go),
// histogram-counts is that of the authors' program, and the others see the
// classes (class_deviation.go, class_t.go). To see the classes is the repair
// that protocol=fsnet needs most.
package embedding
