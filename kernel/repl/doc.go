// Package repl offers the %fsnet language in a terminal: the verbs of the
// notebook without Jupyter and Python.
//
// # Basics
//
// [Run] reads lines and shows their results as text. Each line is a verb as in
// the notebook, but you may omit the prefix %fsnet. Lines come from a script or
// from a terminal with an editor, a history and completion.
// [fsnetlab/kernel/magic] interprets a line. The sessions live in a host
// process that belongs to this terminal, as a notebook's do.
//
//	leukemia› set lambda=0.1
//	leukemia› lambda?                    explains a word
//	leukemia› curves > loss.png          writes the picture, also as .svg, .html, .json (Vega-Lite) or .txt
//
// Start reading with repl.execute. It runs one line. Above it are repl.interact
// for a terminal and repl.script for a script.
//
// # Caveats
//
// There are no Go cells and no live views. A script ends at its first error,
// and Run returns that error with its kind.
package repl
