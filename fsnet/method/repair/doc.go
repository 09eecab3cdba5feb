// Package repair holds what protocol=fsnet adds to the paper's network so that
// it chooses and settles. You can switch off each repair. Without all of them
// the network is the paper's. In parentheses is the value that switches a
// repair off:
//
//   - an embedding that sees the classes: embedding=class-t, package
//     embedding (histogram)
//   - free logits: SelectorLogits of config.Rules,
//     method.Architecture.LogDelta (softmax-selectors)
//   - a learning rate of the selectors that grows: the rule selector_growth (1)
//   - sharpness: the σ of [Logits] (1)
//   - repulsion: [Repulsion], with [Exclusive], so that each feature leads
//     only one selector (0)
//
// Constraints on features enter in the same places: must, never and cost in
// [Logits], the limit of groups in [UniqueArgmax].
//
// Start with [Logits] and [Exclusive], because they change a step, and then
// read [Contest]. It has the last word on the choice.
package repair
