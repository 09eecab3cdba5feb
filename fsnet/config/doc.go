// Package config is the vocabulary of a training: its keys, their defaults under each protocol, and what values they take.
//
// A [Config] holds what a user wrote; a field left at its zero value takes the protocol's default. [Config.Resolve] fills in the
// rest and checks every value: the result, [Settings], has no holes. A [Key] describes one setting (its word, the paper's symbol,
// whether it is live, its meaning), so that Go, the magics, the command line and the wire share one table: [Keys].
//
// Structural keys are fixed when a training is opened. Live keys ([Live]) may change at any step.
//
// The package uses the standard library only: it is linked into every notebook cell.
package config
