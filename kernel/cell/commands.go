package cell

// Command is a line that GoNB understands.
type Command struct{ Name, Usage, About string }

// Commands are those that help with Go cells. Those of %% and a word begin a cell in another language.
func Commands() []Command {
	return []Command{
		{"%%", "[arguments]", "begin the body of main, which is the rest of the cell, and pass its program these arguments"},
		{"%args", "arguments", "set the arguments of the cell's program"},
		{"%autoget", "", "run go get before every cell, not only where a module is missing"},
		{"%capture", "[-a] FILE", "also write the cell's output to a file; -a appends"},
		{"%cd", "[DIRECTORY]", "change the directory in which cells run"},
		{"%env", "NAME VALUE", "set an environment variable for later cells"},
		{"%exec", "FUNCTION [arguments]", "run a function without arguments as main"},
		{"%goflags", "[flags]", "flags of go build"},
		{"%goworkfix", "", "tell go get about the modules of go.work"},
		{"%ls", "", "list the remembered declarations"},
		{"%main", "[arguments]", "as %%"},
		{"%noautoget", "", "run go get only where a module is missing (the default)"},
		{"%reset", "[go.mod]", "forget all declarations; with go.mod, only start a new module"},
		{"%rm", "NAME …", "forget a declaration: of an import, a constant, a type, a variable or a function (TYPE~METHOD, _ for the " +
			"blank import)"},
		{"%test", "[arguments]", "run the tests and benchmarks that the cell declares"},
		{"%track", "[DIRECTORY]", "also watch the Go files there"},
		{"%untrack", "DIRECTORY", "stop watching there"},
		{"%with_inputs", "", "the next shell line asks for input, also on a system that does not tell when it reads"},
		{"%with_password", "", "the next shell line asks for a password"},
		{"%%bash", "", "run the cell as a bash script"},
		{"%%gx", "", "run the cell as a GX script, if gonb was built with GX"},
		{"%%script", "PROGRAM", "run a program with the cell as its input"},
		{"%%sh", "", "run the cell as a sh script"},
		{"%%writefile", "[-a] FILE", "write the cell to a file"},
	}
}
