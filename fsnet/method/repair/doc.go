// Package repair holds what protocol=fsnet adds to the paper's network so that it chooses and settles.
// Each repair can be switched off; without all of them the network is the paper's:
//
//   - an embedding that sees the classes: embedding=class-t, package embedding (histogram);
//   - free logits: SelectorLogits of config.Rules, method.Architecture.LogDelta (softmax-selectors);
//   - a learning rate of the selectors that grows: selector_growth (1);
//   - sharpness: the σ of [Logits] (1);
//   - repulsion: [Repulsion], with [Exclusive], which lets each feature lead one selector (0).
//
// Constraints on features enter in the same places: must, never and cost in [Logits], the limit of
// groups in [UniqueArgmax].
package repair
