// Package magic implements the %fsnet language of the notebook. The kernel
// answers its lines without a compiler.
//
// # Basics
//
//	%fsnet VERB [SESSION] [key=value …]
//
// A [Command] is one line of this form. [Split] divides a cell into commands
// and the Go code between them. An [Interpreter] runs commands against the
// host's sessions and shows the results through an [Output]. It also completes
// and explains verbs, keys with their range and the paper's symbol, open
// sessions, and built-in data.
//
// Start reading with the table in verbs.go. Everything about a verb is in one
// of its entries or, for a command of fsnet ([Program]), in the command's
// flags. [Interpreter.Run] runs one line. A [Link] starts the host and connects
// to it.
//
// # Caveats
//
// The last session used is the default. Quote a value with spaces: data="my
// cohort.csv".
package magic
