// Package config defines the keys of a training: their names, the values they
// accept, and their defaults under each protocol.
//
// # Basics
//
//	c := config.Config{Data: "ALLAML", K: 10}
//	err := c.Set("lambda", "0.5") // from text, as magics and flags do
//	settings, err := c.Resolve()
//
// Start with [Config]. It holds what a user wrote. A field with the zero value
// takes the default of the protocol. [Config.Resolve] checks every value, fills
// in the rest, and returns [Settings]. A [Key] describes one setting: its name,
// the paper's symbol, its meaning, and whether it is live. Go, the magics, the
// command line and the wire share one table of them: [Keys].
//
// Structural keys are fixed when a training is opened. Live keys ([Live]) may
// change at any step.
//
// # Caveats
//
// [Config.Resolve] doesn't know the data. Auto values, and limits like K ≤ d,
// are settled when the data are read. The package uses only the standard
// library, because it is linked into every notebook cell.
package config
