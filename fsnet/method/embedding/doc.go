// Package embedding is φ(u_j), what FsNet's weight predictors see of feature j: numbers made from its values in the training rows, whose
// [Table] and [Target] are here, too.
//
// The key embedding chooses: histogram is the paper's (histogram.go), histogram-counts the authors' program's, and the others see the
// classes (class_deviation.go, class_t.go), which is the repair that protocol=fsnet needs most.
package embedding
