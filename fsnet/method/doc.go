// Package method is FsNet as the paper writes it (Singh et al., "Feature Selection Network on High-dimensional Biological Data"): read it
// from top to bottom in ten minutes. What protocol=fsnet adds is called by its name, and lies in package repair; what chooses under
// protocol=stepwise lies in package stepwise.
//
// # In the paper's order
//
//   - package embedding, histogram.go: φ(u_j), what the predictors see of feature j - its histogram over the training rows;
//   - predictor.go: the weight predictors φ_ω, which give the first and the last layer their weights;
//   - concrete.go: M, its K rows concrete variables, and P, what they are without noise and temperature;
//   - network.go: the classifier and the decoder; reconstruction.go: x̂;
//   - loss.go, rmsprop.go: what is minimised (equation 1), and how;
//   - step.go: one step of Algorithm 2, all of the above together;
//   - uargmax.go: Algorithm 1, the K features that P says;
//   - architecture.go: the sizes, and the parameters as one flat vector.
//
// # Shapes
//
// n rows, d features, K selectors, b embedding dimensions, B rows a batch, C classes, h' the decoder's last width. Matrices over features
// are held K×d, b×d and h'×d, the feature axis last, so that reductions and products run along contiguous memory.
//
// # Caveats
//
// [Architecture.Step] is the definition, not what trains: package fused makes the same step many times as fast, and tests hold it to this
// one, parameter by parameter.
package method
