// Package method is FsNet as the paper describes it (Singh et al., "Feature
// Selection Network on High-dimensional Biological Data"). Package repair
// has what protocol=fsnet adds, and package stepwise what chooses the
// features under protocol=stepwise.
//
// Start with [Architecture.Step]: it makes one step of the training.
//
// # In the paper's order
//
//   - package embedding, histogram.go: φ(u_j), the histogram of feature j
//     over the training rows, the input of the predictors
//   - predictor.go: the weight predictors φ_ω. They give the first and the
//     last layer their weights.
//   - concrete.go: M with its K rows of concrete variables, and P, which is
//     M without noise and temperature
//   - network.go: the classifier and the decoder
//   - reconstruction.go: x̂
//   - loss.go, rmsprop.go: the objective (equation 1), and its optimiser
//   - step.go: one step of Algorithm 2, all of the above together
//   - uargmax.go: Algorithm 1, the K features of P
//   - architecture.go: the sizes, and the parameters as one flat vector
//
// # Shapes
//
// n rows, d features, K selectors, b embedding dimensions, B rows a batch, C
// classes. h' is the width of the decoder's last layer. Matrices over
// features are K×d, b×d and h'×d. The feature axis is last, so that
// reductions and products run along contiguous memory.
//
// # Caveats
//
// [Architecture.Step] defines the step but does not train. Package fused
// makes the same step many times as fast, and tests compare the two
// parameter by parameter.
package method
