// Package repl offers the %fsnet language in a terminal: the verbs of the notebook without Jupyter
// and Python.
//
// # Basics
//
// [Run] reads lines and shows their results as text. Each line is a verb as in the notebook; the
// prefix %fsnet may be left out. Lines come from a terminal, with an editor, a history and
// completion, or from a script. [fsnetlab/kernel/magic] interprets a line, and the sessions live in
// a host process that belongs to this terminal, as a notebook's do.
//
//	leukemia› set lambda=0.1
//	leukemia› lambda?                    explains a word
//	leukemia› curves > loss.png          writes the picture, also as .svg, .html, .json (Vega-Lite) or .txt
//
// # Caveats
//
// There are no Go cells and no live views. A script ends with its first error, which Run returns
// with its kind.
package repl
