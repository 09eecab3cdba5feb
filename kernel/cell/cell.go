// Package cell reads the text of a cell: which of its lines are FsNet's, which are GoNB's own, and what it is as Go.
//
// # Basics
//
// [Split] takes it apart at its %fsnet lines, [TakeLineMagics] takes off the kernel's own. [GoFile] and [Compose] make Go of the rest, for gopls
// and as GoNB does. [Completeness] says whether somebody who types it has finished, [At], [CommandAt] and [NameAt] what stands at a cursor.
// [ShowLast], [ReadNotebook] and [Timing.Loop] make a cell do more than it says, on its own lines; [Format] lays it out.
//
// # Caveats
//
// GoNB knows its lines by their first character; %fsnet lines may be indented. A cell in another language (isScript) has neither.
package cell

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OpenMain opens the body of a cell in place of its %% line.
const OpenMain = "func main() {"

// kind is what GoNB takes a line for.
type kind int

const (
	goCode  kind = iota
	begin        // what follows is the body of main
	exec         // a function is main
	command      // and what it goes on in; also a package clause, which is left out
)

// kinds tells of each line of a cell what GoNB takes it for.
func kinds(lines []string) []kind {
	list := make([]kind, len(lines))
	within, open := false, literal("")
	for i, line := range lines {
		if open != "" {
			open = open.after(line)
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		text := withoutMark(line)
		within = within || isCommand(line)
		switch word, _ := firstWord(text); {
		case word == "%%", strings.HasPrefix(word, "%main"):
			list[i] = begin
		case strings.HasPrefix(word, "%exec"):
			list[i] = exec
		case within, word == "package" && line == text:
			list[i] = command
		default:
			open = open.after(line)
		}
		within = within && goesOn(line)
	}
	return list
}

// isCommand tells by its beginning whether a line is a command, where it is not text.
func isCommand(line string) bool {
	text := withoutMark(line)
	return len(text) > 1 && (text[0] == '%' || text[0] == '!')
}

// goesOn tells whether a command goes on in the next line.
func goesOn(line string) bool { return strings.HasSuffix(strings.TrimSuffix(line, "\r"), `\`) }

// literal is what is open where a line of Go begins: "`" a raw string, "*/" a comment, "" neither. A line that begins inside one of them is
// text, whatever it begins with.
type literal string

// opensLiteral finds where a raw string or a comment may begin, and strings and runes, in which none does.
var opensLiteral = regexp.MustCompile("`|/\\*|//|\"(?:\\\\.|[^\"\\\\])*\"?|'(?:\\\\.|[^'\\\\])*'?")

// after is what is open behind a line of Go.
func (open literal) after(line string) literal {
	for {
		if open != "" {
			_, rest, closed := strings.Cut(line, string(open))
			if !closed {
				return open
			}
			open, line = "", rest
		}
		at := opensLiteral.FindStringIndex(line)
		if at == nil {
			return ""
		}
		switch line[at[0]:at[1]] {
		case "//":
			return ""
		case "/*":
			open = "*/"
		case "`":
			open = "`"
		}
		line = line[at[1]:]
	}
}

// withoutMark is a line without the mark that hides a line for GoNB from other Go tools.
func withoutMark(line string) string { return strings.TrimPrefix(line, "//gonb:") }

func firstWord(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return word, strings.TrimSpace(rest)
}

// mainOf is the function that an %exec line makes main.
func mainOf(line string) string {
	_, rest := firstWord(line)
	name, _ := firstWord(rest)
	return name + "()"
}

// isScript tells by its first line whether a cell holds no Go, such as one of %%bash.
func isScript(code string) bool {
	first, _, _ := strings.Cut(code, "\n")
	word, _ := firstWord(withoutMark(strings.TrimSuffix(first, "\r")))
	return word != "%%" && strings.HasPrefix(word, "%%") && slices.ContainsFunc(Commands(), func(c Command) bool { return c.Name == word })
}

// CommandLines are the words of the lines that GoNB takes for commands.
func CommandLines(code string) (list [][]string) {
	if isScript(code) {
		return nil
	}
	lines := strings.Split(code, "\n")
	for i, k := range kinds(lines) {
		if words := strings.Fields(withoutMark(lines[i])); k == command && len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// GoFile is the Go code of a cell with every line and character where it is: lines that are not Go are blank, %% opens main, and main's
// end is behind the last line.
func GoFile(code string) string {
	lines := strings.Split(code, "\n")
	if isScript(code) {
		return strings.Repeat("\n", len(lines))
	}
	end := ""
	for i, k := range kinds(lines) {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
		switch k {
		case begin:
			lines[i], end = OpenMain, "}\n"
		case exec:
			lines[i] = OpenMain + " " + mainOf(lines[i]) + " }"
		case command:
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n") + "\n" + end
}

// Composed is a cell as GoNB writes it into a Go file before it looks for declarations: without the lines that are not Go.
type Composed struct {
	Text  string
	Lines []int // of the cell, from 0, for each line of the text; −1 where GoNB put it in
}

// Compose does what GoNB does.
func Compose(code string) Composed {
	var text strings.Builder
	var from []int
	put := func(at int, lines ...string) {
		for _, line := range lines {
			text.WriteString(line + "\n")
			from = append(from, at)
		}
	}
	put(-1, "package main", "")
	lines, open := strings.Split(code, "\n"), false
	if isScript(code) {
		lines = nil
	}
	for i, k := range kinds(lines) {
		switch k {
		case begin:
			put(i, OpenMain, "\tflag.Parse()")
			open = true
		case exec:
			put(i, OpenMain, "\tflag.Parse()", "\t"+mainOf(lines[i]), "}")
		case goCode:
			put(i, lines[i])
		}
	}
	if open {
		put(-1, "", "}")
	}
	return Composed{text.String(), from}
}

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

// Prefix begins a %fsnet line.
const Prefix = "%fsnet"

// IsMagic reports whether a line is FsNet's.
func IsMagic(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), Prefix)
	return ok && (rest == "" || rest == "?" || unicode.IsSpace([]rune(rest)[0]))
}

// Magic is a %fsnet line, as one with those that it goes on in.
type Magic struct {
	Text        string
	First, Last int // its lines, from 0
}

// Part is a stretch of a cell: %fsnet lines, and the Go code behind them as far as the next ones. Only the first may have no lines.
type Part struct {
	Magics []Magic
	Go     Code // none where only blank and comment lines follow
}

// Code is Go code that stands in a cell below so many lines. It has blank lines in their place when it is asked for as a text, and not
// before: those of all parts of a long cell at once would take its lines times its parts.
type Code struct {
	above int
	text  string
}

// String is the code with blank lines above it, so that its line numbers are the cell's; "" where there is none.
func (c Code) String() string {
	if c.text == "" {
		return ""
	}
	return strings.Repeat("\n", c.above) + c.text
}

// IsBlank says that there is nothing to run.
func (c Code) IsBlank() bool { return strings.TrimSpace(c.text) == "" }

// Split takes a cell apart at its %fsnet lines; one inside a raw string or a comment is text. Go code has blank lines in place of all that
// stands above it, so that its line numbers are the cell's, and each stretch of it is a program of its own: a %% above a %fsnet line holds
// below it, too.
func Split(code string) (parts []Part) {
	lines := strings.Split(code, "\n")
	magics := find(lines)
	if len(magics) == 0 {
		return []Part{{Go: Code{text: code}}}
	}
	body := ""
	stretch := func(from, to int) Code {
		for _, line := range lines[from:to] {
			if text := strings.TrimSpace(line); text == "" || strings.HasPrefix(text, "//") {
				continue
			}
			c := Code{from, strings.Join(lines[from:to], "\n")}
			if at := slices.Index(kinds(lines[from:to]), begin); at >= 0 {
				body = lines[from+at]
			} else if from > 0 {
				c = Code{from - 1, body + "\n" + c.text}
			}
			return c
		}
		return Code{}
	}
	if first := stretch(0, magics[0].First); first.text != "" {
		parts = append(parts, Part{Go: first})
	}
	var list []Magic
	for i, m := range magics {
		end := len(lines)
		if i+1 < len(magics) {
			end = magics[i+1].First
		}
		list = append(list, m)
		if code := stretch(m.Last+1, end); code.text != "" || i+1 == len(magics) {
			parts, list = append(parts, Part{list, code}), nil
		}
	}
	return parts
}

// Blank is a cell with its %fsnet lines blanked out, rune by rune, so that every offset stays what it was.
func Blank(code string) string {
	lines := strings.Split(code, "\n")
	for _, m := range find(lines) {
		for i := m.First; i <= m.Last; i++ {
			lines[i] = strings.Repeat(" ", utf8.RuneCountInString(lines[i]))
		}
	}
	return strings.Join(lines, "\n")
}

// find finds the %fsnet lines of a cell.
func find(lines []string) (magics []Magic) {
	if isScript(lines[0]) {
		return nil
	}
	open := literal("")
	for at := 0; at < len(lines); at++ {
		switch {
		case open != "" || !IsMagic(lines[at]) && !isCommand(lines[at]):
			open = open.after(lines[at])
		case IsMagic(lines[at]):
			m := Magic{Text: lines[at], First: at}
			for ; at+1 < len(lines) && Continues(m.Text); at++ {
				m.Text = Join(m.Text, lines[at+1])
			}
			m.Last = at
			magics = append(magics, m)
		default:
			for ; at+1 < len(lines) && goesOn(lines[at]); at++ {
			}
		}
	}
	return magics
}

// Continues reports whether a line goes on in the next one: it ends in a backslash.
func Continues(line string) bool { return strings.HasSuffix(strings.TrimRight(line, " \t\r"), `\`) }

// Join is a line that goes on and the next one as one. The backslash and the spaces around it count for one space, so that words stay
// words.
func Join(line, next string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, " \t\r"), `\`), " \t") + " " + strings.TrimLeft(next, " \t")
}
