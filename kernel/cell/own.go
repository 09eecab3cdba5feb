package cell

import (
	"slices"
	"strings"
)

// OwnCommands are lines that the kernel does itself, at the top of a cell. IPython's users know them.
func OwnCommands() []Command {
	return []Command{
		{"%load", "FILE", "put the text of a file into the place of this cell"},
		{"%save", "FILE [CELLS]", "write cells that were run to a file, one after the other: all, or as in 2-5,7"},
		{"%time", "", "say how long the Go code of this cell takes, compiled and run"},
		{"%who", "", "list what cells have declared: name, kind, declaration and cell"},
	}
}

// TakeOwn takes the kernel's own lines off the top of a cell's Go code, blank and comment lines aside, as words. rest has blank lines in
// their place, and is "" where only blank and comment lines are left.
func TakeOwn(code string) (own [][]string, rest string) {
	if IsScript(code) {
		return nil, code
	}
	lines := strings.Split(code, "\n")
	for at, line := range lines {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "//"):
		case slices.ContainsFunc(OwnCommands(), func(c Command) bool { return c.Name == words[0] }):
			own = append(own, words)
			lines[at] = ""
		case len(own) == 0:
			return nil, code
		default:
			return own, strings.Join(lines, "\n")
		}
	}
	if len(own) == 0 {
		return nil, code
	}
	return own, ""
}
