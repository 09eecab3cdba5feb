package cell

// Command is a line that GoNB understands.
type Command struct{ Name, Usage, About string }

// Commands are those that help with Go cells. Those of %% and a word begin a cell in another language.
func Commands() []Command {
	return []Command{
		{"%%", "[arguments]", "what follows is the body of main, with these arguments; it ends with the cell"},
		{"%args", "arguments", "arguments of the program that the cell is"},
		{"%autoget", "", "run go get before every cell, not only where a module is missing"},
		{"%capture", "[-a] FILE", "write the output of the cell to a file, too; -a appends"},
		{"%cd", "[DIRECTORY]", "change the directory in which cells run"},
		{"%env", "NAME VALUE", "set a variable of the environment of later cells"},
		{"%exec", "FUNCTION [arguments]", "run a function of no arguments as main"},
		{"%goflags", "[flags]", "flags of go build"},
		{"%goworkfix", "", "let go get know the modules of go.work"},
		{"%ls", "", "list the declarations that are remembered"},
		{"%main", "[arguments]", "as %%"},
		{"%noautoget", "", "run go get only where a module is missing (so it is at first)"},
		{"%reset", "[go.mod]", "forget all declarations; with go.mod, only start a new module"},
		{"%rm", "NAME …", "forget a declaration: of an import, a constant, a type, a variable or a function (TYPE~METHOD, _ for the " +
			"blank import)"},
		{"%test", "[arguments]", "run the tests and benchmarks that the cell declares"},
		{"%track", "[DIRECTORY]", "look at the Go files there, too"},
		{"%untrack", "DIRECTORY", "no longer look there"},
		{"%with_inputs", "", "the next shell line asks for input"},
		{"%with_password", "", "the next shell line asks for a password"},
		{"%%bash", "", "the cell is a script of bash"},
		{"%%gx", "", "the cell is a script of GX, where gonb was built with that"},
		{"%%script", "PROGRAM", "the cell is the input of a program"},
		{"%%sh", "", "the cell is a script of sh"},
		{"%%writefile", "[-a] FILE", "the cell is a file"},
	}
}
