package cell

import (
	"slices"
	"strings"
)

// LineMagics are lines that the kernel does itself, at the top of a cell. IPython's users know them.
func LineMagics() []Command {
	return []Command{
		{"%fmt", "", "format the cell in place, as gofmt does; nothing is run"},
		{"%load", "FILE", "replace this cell with the text of a file"},
		{"%save", "FILE [CELLS]", "write the cells that were run to a file, one after the other: all, or some, as in 2-5,7"},
		{"%time", "", "say how long the Go code of this cell takes to compile and run"},
		{"%timeit", "[-n LOOPS] [-r REPEATS] [STATEMENT]",
			"run a statement, or the body of this cell, in loops, and say how long one loop takes: mean ± standard deviation"},
		{"%who", "", "list what cells have declared: name, kind, declaration and cell"},
	}
}

// LineMagic is a line of the kernel's own.
type LineMagic struct {
	Words []string
	Text  string // the line, without spaces around it
	Line  int    // from 0
}

// TakeLineMagics takes the kernel's own lines off the top of Go code; blank lines, comments and a %% may stand above them. rest has blank lines in
// their place, and is none where nothing is left to run.
func TakeLineMagics(code Code) (own []LineMagic, rest Code) {
	if code.above == 0 && isScript(code.text) {
		return nil, code
	}
	lines := strings.Split(code.text, "\n")
	is := kinds(lines)
	for at, line := range lines {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "//") || is[at] == begin:
		case slices.ContainsFunc(LineMagics(), func(c Command) bool { return c.Name == words[0] }):
			own = append(own, LineMagic{words, strings.TrimSpace(line), code.above + at})
			lines[at] = ""
		case len(own) == 0:
			return nil, code
		default:
			return own, Code{code.above, strings.Join(lines, "\n")}
		}
	}
	if len(own) == 0 {
		return nil, code
	}
	return own, Code{}
}
