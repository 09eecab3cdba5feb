package gonb

import (
	"slices"
	"strings"
)

// Command is a special line of GoNB.
type Command struct{ Name, Usage, About string }

// Commands are the special lines that help with Go cells.
func Commands() []Command {
	return []Command{
		{"%%", "[arguments]", "what follows is the body of main, with these arguments; it ends with the cell"},
		{"%args", "arguments", "arguments of the program that the cell is"},
		{"%autoget", "", "fetch modules that a cell imports (so it is at first)"},
		{"%capture", "[-a] FILE", "write the output of the cell to a file, too; -a appends"},
		{"%cd", "[DIRECTORY]", "change the directory in which cells run"},
		{"%env", "NAME VALUE", "set a variable of the environment of later cells"},
		{"%exec", "FUNCTION [arguments]", "run a function of no arguments as main"},
		{"%goflags", "[flags]", "flags of go build"},
		{"%goworkfix", "", "let go get know the modules of go.work"},
		{"%ls", "", "list the declarations that are remembered"},
		{"%main", "[arguments]", "as %%"},
		{"%noautoget", "", "do not fetch modules"},
		{"%reset", "[go.mod]", "forget all declarations; with go.mod only begin the module anew"},
		{"%rm", "NAME …", "forget a declaration: of an import, a constant, a type, a variable or a function (TYPE~METHOD, _ for the blank import)"},
		{"%test", "[arguments]", "run the tests and benchmarks that the cell declares"},
		{"%track", "[DIRECTORY]", "look at the Go files there, too"},
		{"%untrack", "DIRECTORY", "no longer look there"},
		{"%with_inputs", "", "the next shell line asks for input"},
		{"%with_password", "", "the next shell line asks for a password"},
		{"%%bash", "", "the cell is a script of bash"},
		{"%%script", "PROGRAM", "the cell is the input of a program"},
		{"%%sh", "", "the cell is a script of sh"},
		{"%%writefile", "[-a] FILE", "the cell is a file"},
	}
}

// Names are what %rm knows.
func (c *Child) Names() []string {
	c.remembering.Lock()
	defer c.remembering.Unlock()
	var names []string
	for _, d := range c.memory.list() {
		for _, key := range d.keys {
			if _, name, _ := strings.Cut(key, " "); !strings.HasPrefix(name, "_~") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// IsScript tells of a cell whether it holds no Go, such as one of %%bash.
func IsScript(code string) bool { return !isGo(code) }
