// Package config is the vocabulary of a training: its keys, their defaults under each protocol, and what values they take.
//
// # Basics
//
//	c := config.Config{Data: "ALLAML", K: 10}
//	err := c.Set("lambda", "0.5") // by word, as magics and flags do
//	settings, err := c.Resolve()
//
// A [Config] holds what a user wrote; a field left at its zero value takes the protocol's default. [Config.Resolve] fills in the
// rest and checks every value: the result, [Settings], has no holes. A [Key] describes one setting (its word, the paper's symbol,
// whether it is live, its meaning), so that Go, the magics, the command line and the wire share one table: [Keys].
//
// Structural keys are fixed when a training is opened. Live keys ([Live]) may change at any step.
//
// # Caveats
//
// [Config.Resolve] does not know the data: what an auto or a K above the number of features comes to is known when they are read.
// The package uses the standard library only: it is linked into every notebook cell.
package config
