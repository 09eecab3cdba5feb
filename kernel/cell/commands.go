package cell

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Command is a command of GoNB or of the kernel.
type Command struct{ Name, Usage, About string }

// Commands returns GoNB's commands. %% followed by a word starts a cell in
// another language.
func Commands() []Command {
	return []Command{
		{"%%", "[arguments]", "begin the body of main, which is the rest of the cell, and pass its program these arguments"},
		{"%args", "[arguments]", "set the arguments of the cell's program"},
		{"%autoget", "", "run go get before every cell, not only where a module is missing"},
		{"%capture", "[-a] FILE", "also write the cell's output to a file; -a appends"},
		{"%cd", "[DIRECTORY]", "change the directory in which cells run"},
		{"%env", "[NAME [VALUE]]", "set an environment variable for later cells, and for trainings and studies that start later; without VALUE, print it"},
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

// otherCommands returns commands of GoNB that don't help with Go cells.
func otherCommands() []string {
	return strings.Fields("%help %list %remove %version %wasm %widgets %widgets_hb")
}

// commandWords returns the words of a cell's commands by line. A shell line
// becomes ! and its text. A blank command has no words.
func commandWords(code string) map[int][]string {
	lines := strings.Split(code, "\n")

	if isScript(code) {
		name, rest := commandName(cutMark(strings.TrimSuffix(lines[0], "\r")))
		return map[int][]string{0: append([]string{name}, split(rest)...)}
	}

	list := map[int][]string{}
	for _, l := range read(lines) {
		if l.kind == goCode || l.kind == fsnet {
			continue
		}

		for at := l.first; at <= l.last; at++ {
			list[at] = nil
		}

		switch name, rest := commandName(l.command(lines)); {
		case name == "!" && rest != "":
			list[l.first] = []string{name, rest}
		case name == "%env":
			list[l.first] = environmentWords(rest)
		case len(name) > 1:
			list[l.first] = append([]string{name}, split(rest)...)
		}
	}
	return list
}

// environmentWords returns the words of %env as IPython reads it: NAME VALUE or
// NAME=VALUE. The value is the rest of the line, without quotes that enclose
// all of it. A name without a value becomes a shell line that prints the
// variable, and fails if there is none. Without a name, the shell line prints
// all variables. A name that no variable can have stays as it is, and [Check]
// rejects it.
func environmentWords(rest string) []string {
	name, value := firstWord(rest)
	if before, after, ok := strings.Cut(name, "="); ok {
		name, value = before, strings.TrimSpace(after+rest[len(name):])
	} else if after, ok := strings.CutPrefix(value, "="); ok {
		value = strings.TrimSpace(after)
	} else if rest == "" {
		return []string{"!", "printenv"}
	} else if value == "" && isVariable(name) {
		return []string{"!", "printenv " + name + " || { echo 'there is no variable " + name + "' >&2; exit 1; }"}
	}

	if words := split(value); len(words) == 1 && strings.Contains(value, `"`) {
		value = words[0]
	}
	return []string{"%env", name, value}
}

// isVariable reports whether a shell can have an environment variable of this name.
func isVariable(name string) bool {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	return strings.TrimLeftFunc(name, isPart) == "" && strings.IndexFunc(name, unicode.IsDigit) != 0 && name != ""
}

// CommandLines returns the words of a cell's commands, in order. A shell line
// becomes ! and its text. Blank commands and %fsnet lines are omitted.
func CommandLines(code string) (list [][]string) {
	words := commandWords(code)
	for _, at := range slices.Sorted(maps.Keys(words)) {
		if len(words[at]) > 0 {
			list = append(list, words[at])
		}
	}
	return list
}

// EndsInShell reports whether the last line that a cell runs is a shell line,
// or the whole cell is a script of another program.
func EndsInShell(code string) bool {
	words := commandWords(code)
	if isScript(code) {
		return slices.Contains([]string{"%%bash", "%%script", "%%sh"}, words[0][0])
	}

	lines := strings.Split(code, "\n")
	for at := len(lines) - 1; at >= 0; at-- {
		if command, is := words[at]; is && len(command) > 0 {
			return command[0] == "!"
		} else if text := strings.TrimSpace(lines[at]); !is && text != "" && !strings.HasPrefix(text, "//") {
			return false
		}
	}
	return false
}

// CheckGo rejects a cell whose Go code doesn't parse. It accepts scripts. The
// error is of kind Request.
func CheckGo(code string) error {
	if isScript(code) {
		return nil
	}

	in := Compose(WithBody(code))
	_, err := parser.ParseFile(token.NewFileSet(), "", in.Text, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil
	}

	last := strings.Count(code, "\n") + 1
	at := last
	if line := list[0].Pos.Line; line <= len(in.Lines) && in.Lines[line-1] >= 0 {
		at = min(in.Lines[line-1]+1, last)
	}
	return errs.New(errs.Request, "correct it; nothing of the cell has run", "cell line %d: %s", at, list[0].Msg)
}

// split divides a command into words at spaces, as GoNB does. Double quotes
// keep spaces in a word. Inside them, \n and \t mean a line feed and a tab, and
// a backslash makes any other character literal. If a quotation isn't closed,
// it ends with the text.
func split(text string) (words []string) {
	var word strings.Builder

	begun, quoted, escaped := false, false, false

	for _, r := range text {
		switch {
		case escaped:
			escaped = false
			switch r {
			case 'n':
				r = '\n'
			case 't':
				r = '\t'
			}
			word.WriteRune(r)
		case r == '"':
			begun, quoted = true, !quoted
		case r == '\\' && quoted:
			escaped = true
		case unicode.IsSpace(r) && !quoted:
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}

	if begun {
		words = append(words, word.String())
	}
	return words
}

// Mark returns a cell in which GoNB finds each command as words that it needn't
// parse. The line then holds NUL, because no Go file may contain it, and the
// words as JSON, without the % of the first one (install/gonb/commands.patch).
// Every line keeps its number.
func Mark(code string) string { return mark(code, func([]string) bool { return true }) }

// MarkAgain is Mark for a cell whose commands have run. It omits those that
// also hold for later cells.
func MarkAgain(code string) string {
	return mark(code, func(words []string) bool {
		return slices.Contains([]string{"%%", "%args", "%capture", "%exec", "%main", "%test"}, words[0])
	})
}

// mark is Mark for the commands that take selects. Other commands become lines
// without words.
func mark(code string, selects func(words []string) bool) string {
	lines := strings.Split(code, "\n")

	for at, line := range lines {
		if strings.HasPrefix(line, "\x00") && !isScript(code) { // the compiler rejects it
			lines[at] = " " + line
		}
	}

	for number, words := range commandWords(code) {
		if words = slices.Clone(words); len(words) > 0 && !selects(words) {
			words = nil
		}

		if len(words) > 0 {
			words[0] = strings.TrimPrefix(words[0], "%")
		}

		text, err := json.Marshal(words)
		if err != nil {
			continue // can't happen: strings always encode
		}
		lines[number] = "\x00" + string(text)
	}
	return strings.Join(lines, "\n")
}

// Check rejects commands that don't exist, are in the wrong place or lack an
// argument. The error is of kind Request.
func Check(code Code) error {
	text := code.String()
	words := commandWords(text)
	for _, number := range slices.Sorted(maps.Keys(words)) {
		if len(words[number]) == 0 {
			continue
		}
		if err := checkCommand(words[number], isScript(text)); err != nil {
			err.What = fmt.Sprintf("cell line %d: %s", number+1, err.What)
			return err
		}
	}
	return nil
}

// checkCommand is Check for the words of one command. first means that the cell
// is a script, so that this is its only command.
func checkCommand(words []string, first bool) *errs.Error {
	name, own := words[0], LineMagics()
	if name == "!" || slices.Contains(otherCommands(), name) {
		return nil
	}

	all := slices.Concat(own, Commands())
	index := slices.IndexFunc(all, func(c Command) bool { return c.Name == name })

	if index < 0 {
		names := []string{Prefix}
		for _, c := range all {
			names = append(names, c.Name)
		}
		return errs.New(errs.Request, phrase.DidYouMeanOr(name, names, "press Tab behind % for the list"), "%s is not a command", name)
	}

	switch {
	case index < len(own):
		return errs.New(errs.Request, "write it at the top of the cell", "%s stands below other lines", name)
	case strings.HasPrefix(name, "%%") && name != "%%" && !first:
		return errs.New(errs.Request, "put it into a cell of its own", "%s is not the first line of the cell", name)
	case name == "%env" && !isVariable(words[1]):
		return errs.New(errs.Request, "write %env NAME VALUE, where NAME has letters, digits and _", "%%env: %q cannot be the name of a variable", words[1])
	case len(words) == 1 && needsArgument(all[index].Usage):
		return errs.New(errs.Request, "write "+name+" "+all[index].Usage, "%s needs an argument", name)
	}
	return nil
}

// needsArgument reports whether a usage has a word outside brackets.
func needsArgument(usage string) bool {
	return slices.ContainsFunc(strings.Fields(usage), func(word string) bool { return !strings.HasPrefix(word, "[") })
}
