// Package phrase writes and reads the small pieces of messages: a count with
// its noun ([Count]), a comma-separated list of names ([Names], [Join]), and
// the known word that a mistyped one most likely means ([DidYouMean]). A name
// that contains a comma is quoted as in CSV, as in "PC(16:0,18:1)". Start
// reading with [Count], because most messages use it.
package phrase
