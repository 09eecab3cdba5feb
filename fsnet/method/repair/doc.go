// Package repair is what protocol=fsnet adds to the paper's network so that it chooses and settles. Each repair has a key that switches it
// off, and the network is then the paper's:
//
//   - an embedding that sees the classes: embedding=class-t, package embedding (histogram is the paper's);
//   - free logits: selector_logits, method.Architecture.LogDelta (softmax-selectors);
//   - a rate of the selectors that grows: selector_growth (1);
//   - sharpness: the σ of [Biased] (1);
//   - repulsion: [Repulsion], with [Exclusive], which lets each feature lead one selector (0).
//
// What is known of features beforehand comes the same way: [Biased] has must, never and cost, [UniqueArgmax] the limit of groups.
package repair
