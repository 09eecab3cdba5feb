// Package about is what the program says of itself: its version, and what is generated from its commands, keys and verbs - man pages,
// shell completion and the pages of reference in the documentation.
package about
