// Package config defines the keys of a training: their names, the values they accept, and their
// defaults under each protocol.
//
// # Basics
//
//	c := config.Config{Data: "ALLAML", K: 10}
//	err := c.Set("lambda", "0.5") // from text, as magics and flags do
//	settings, err := c.Resolve()
//
// A [Config] holds what a user wrote; fields with the zero value take the protocol's default.
// [Config.Resolve] checks every value, fills in the rest, and returns [Settings]. A [Key] describes
// one setting: its name, the paper's symbol, its meaning, and whether it is live. Go, the magics, the
// command line and the wire share one table of them: [Keys].
//
// Structural keys are fixed when a training is opened. Live keys ([Live]) may change at any step.
//
// # Caveats
//
// [Config.Resolve] does not know the data: auto values, and limits such as K ≤ d, are settled when the
// data are read. The package uses the standard library only, because it is linked into every notebook
// cell.
package config
