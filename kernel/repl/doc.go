// Package repl is the %fsnet language in a terminal: the verbs of the notebook without Jupyter and without Python.
//
// # Basics
//
// [Run] reads lines, each a verb as in the notebook (the prefix %fsnet may be left out), and shows what it returns as text: from a
// terminal with an editor, a history and completion, or from a script without any of them. A line is understood by [fsnetlab/kernel/magic],
// and its sessions live in a host process of this terminal's own, as a notebook's do.
//
//	leukemia› set lambda=0.1
//	leukemia› lambda?                    explains a word
//	leukemia› curves > loss.png          writes the picture, also as .svg, .html, .json (Vega-Lite) or .txt
//
// # Caveats
//
// There are no Go cells and no live views here. A script ends with its first error, whose kind is Run's own.
package repl
