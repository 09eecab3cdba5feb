// Package phrase makes and reads the small pieces of messages: a count with its noun ([Count]), a
// list of names with commas ([Names], [Join]: a name that contains a comma is quoted as in CSV,
// "PC(16:0,18:1)"), and the known word that a mistyped one most likely meant ([DidYouMean]: few
// letters changed, left out, added or exchanged).
package phrase
