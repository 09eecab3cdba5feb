// Package about is what the program says of itself: its version, and what is generated from its commands: man pages, shell completion and the
// page of commands in the documentation.
package about
