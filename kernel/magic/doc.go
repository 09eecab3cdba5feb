// Package magic implements the %fsnet language of the notebook, which the kernel answers without a
// compiler.
//
// # Basics
//
//	%fsnet VERB [SESSION] [key=value …]
//
// A [Command] is one such line. [Split] divides a cell into such lines and the Go code between
// them. An [Interpreter] runs commands against the host's sessions and shows the results through an
// [Output]. It also completes and explains: verbs, keys with their range and the paper's symbol,
// open sessions, built-in data. Everything it knows about a verb stands in one entry of the table
// in verbs.go or, for a command of fsnet ([Program]), in the command's flags. A [Link] starts the
// host and connects to it.
//
// # Caveats
//
// The last session used is the default. A value with spaces is quoted: data="my cohort.csv".
package magic
