// Package stepwise is what chooses under protocol=stepwise in the place of the gradient: annealed stepwise selection by closed-form errors.
//
// Each selector keeps a score of every feature, log δ = e; a step samples the selectors' features, and moves e of one of them, in turn, half
// of the way to the score that each feature would have in its place, beside those that the others sampled. (All at once they would follow
// one another from feature to feature.) Of few rows the score is the leave-one-out error with the feature (few.go), of many its partial F
// (scores.go). [Reads] is what both read of the training rows, [Sizes.Rescore] is a step.
package stepwise
