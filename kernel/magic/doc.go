// Package magic is the %fsnet language of the notebook: what the kernel answers itself, without a compiler.
//
// # Basics
//
//	%fsnet VERB [SESSION] [key=value …]
//
// A [Command] is one such line. [Split] takes a cell apart into such lines and the Go code between them. An [Interpreter] runs commands
// against the host's sessions and shows what they return through an [Output]. It also completes and explains: verbs, keys with their
// range and the paper's symbol, open sessions, built-in data. All that it knows of a verb is one entry of the table in verbs.go,
// or of a verb of the command line ([Program]) its flags.
//
// # Caveats
//
// The last session used is the default. A value with spaces is quoted: data="my cohort.csv".
package magic
