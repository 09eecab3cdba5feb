// Package cell parses the text of a cell into %fsnet lines, commands for GoNB,
// line magics and Go code.
//
// # Basics
//
// [Split] divides a cell at its %fsnet lines, and [TakeLineMagics] removes line
// magics. [Check] rejects wrong commands, and [Mark] passes the words of the
// others to GoNB. [GoFile] returns the Go code for gopls, and [Compose] returns
// it as GoNB composes it. [Completeness] tells a console whether the user has
// finished typing. [At], [CommandAt] and [NameAt] find what is at a cursor.
// [ShowLast] and [Timing.Loop] rewrite a cell without moving its lines.
//
// Start reading with the function read in lines.go. It alone decides what a
// line is.
//
// # Caveats
//
// Commands start in the first column, but you may indent %fsnet lines. A cell
// in another language (isScript) has only one command, on its first line.
package cell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OpenMain replaces the %% line of a cell.
const OpenMain = "func main() {"

// mainOf returns the call of the function that an %exec line runs.
func mainOf(line string) string {
	_, rest := commandName(cutMark(line))
	return split(rest + " _")[0] + "()"
}

// GoFile returns the Go code of a cell, with all lines and characters in their
// places. Lines that aren't Go become blank, %% opens main, and main is closed
// after the last line.
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
		case command, fsnet:
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n") + "\n" + end
}

// Program is the Go file that GoNB first makes from a cell, without the lines
// that aren't Go.
type Program struct {
	Text string
	// Lines holds, for each line of Text, the line of the cell, counted from 0.
	// It holds −1 for lines that GoNB adds.
	Lines []int
}

// Compose composes a cell as GoNB does. A script has no Go code.
func Compose(code string) Program {
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

	return Program{text.String(), from}
}

// LineMagics lists the commands that the kernel runs itself, at the top of a
// cell. IPython has these commands, too.
func LineMagics() []Command {
	return []Command{
		{"%time", "", "say how long the Go code of this cell takes to compile and run"},
		{"%timeit", "[-n LOOPS] [-r REPEATS] [STATEMENT]",
			"run a statement, or the body of this cell, in loops, and say how long one loop takes: mean ± standard deviation"},
	}
}

// LineMagic is one line magic of a cell.
type LineMagic struct {
	Words []string
	Text  string // the line without surrounding spaces
	Line  int    // counted from 0
}

// TakeLineMagics removes the line magics from the top of Go code. Blank lines,
// comments and %% may precede them. rest keeps blank lines in their place. It
// is empty if nothing remains to run.
func TakeLineMagics(code Code) (own []LineMagic, rest Code) {
	if code.above == 0 && isScript(code.text) {
		return nil, code
	}

	lines := strings.Split(code.text, "\n")
	is := kinds(lines)
	for number, line := range lines {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "//") || is[number] == begin:
		case isLineMagic(&words[0]):
			own = append(own, LineMagic{words, strings.TrimSpace(line), code.above + number})
			lines[number] = ""
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

// isLineMagic reports whether a word is a line magic. It also changes %%time to
// %time.
func isLineMagic(word *string) bool {
	single := strings.TrimPrefix(*word, "%")
	for _, c := range LineMagics() {
		if *word == c.Name || single == c.Name {
			*word = c.Name
			return true
		}
	}
	return false
}

// Prefix starts a %fsnet line.
const Prefix = "%fsnet"

// IsMagic reports whether a line is a %fsnet line.
func IsMagic(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), Prefix)
	return ok && (rest == "" || rest == "?" || unicode.IsSpace([]rune(rest)[0]))
}

// Magic is a %fsnet line, joined with its continuation lines.
type Magic struct {
	Text        string
	First, Last int // its lines in the cell, counted from 0
}

// Part is a part of a cell: %fsnet lines, and the Go code up to the next %fsnet
// line. Only the first part may have no %fsnet lines.
type Part struct {
	Magics []Magic
	Go     Code // empty if only blank lines and comments follow
}

// Code is Go code below a number of other lines of its cell. It stores that
// number, and only String adds blank lines for it. If it stored the blank
// lines, the parts of a long cell would take memory for all its lines times its
// parts.
type Code struct {
	above int
	text  string
}

// String returns the code below as many blank lines as precede it in the cell,
// so that line numbers stay the same. It returns "" if there is no code.
func (c Code) String() string {
	if c.text == "" {
		return ""
	}
	return strings.Repeat("\n", c.above) + c.text
}

// IsBlank reports whether there is nothing to run.
func (c Code) IsBlank() bool { return strings.TrimSpace(c.text) == "" }

// Split divides a cell at its %fsnet lines. Each part is a separate program, so
// a %% line above a %fsnet line is repeated below it.
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

// Blank replaces the %fsnet lines of a cell by spaces, rune by rune, so that
// all offsets stay the same.
func Blank(code string) string {
	lines := strings.Split(code, "\n")
	for _, m := range find(lines) {
		for i := m.First; i <= m.Last; i++ {
			lines[i] = strings.Repeat(" ", utf8.RuneCountInString(lines[i]))
		}
	}
	return strings.Join(lines, "\n")
}

// find returns the %fsnet lines of a cell, each joined with its continuation
// lines. Lines inside a raw string, a comment or an expression are Go. A script
// has no %fsnet lines.
func find(lines []string) (magics []Magic) {
	if isScript(lines[0]) {
		return nil
	}
	for _, l := range read(lines) {
		if l.kind == fsnet {
			magics = append(magics, Magic{Text: Join(lines[l.first : l.last+1]...), First: l.first, Last: l.last})
		}
	}
	return magics
}

// Continues reports whether a line ends in a backslash, so that it continues on
// the next line.
func Continues(line string) bool { return strings.HasSuffix(strings.TrimRight(line, " \t\r"), `\`) }

// Join joins a line and its continuation lines. It replaces each backslash and
// the spaces around it by one space.
func Join(lines ...string) string {
	parts := slices.Clone(lines)
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeft(parts[i], " \t")
		}
		if i+1 < len(parts) {
			parts[i] = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(parts[i], " \t\r"), `\`), " \t")
		}
	}
	return strings.Join(parts, " ")
}
