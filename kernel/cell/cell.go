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
