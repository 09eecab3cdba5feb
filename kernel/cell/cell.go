// Package cell reads the text of a cell: which of its lines are FsNet's, which are GoNB's own, and what it is as Go.
//
// # Basics
//
// [Split] takes it apart at its %fsnet lines, [TakeLineMagics] takes off the kernel's own. [GoFile] and [Compose] make Go of the rest, for gopls
// and as GoNB does. [Completeness] says whether somebody who types it has finished, [At], [CommandAt] and [NameAt] what stands at a cursor.
// [ShowLast] and [Timing.Loop] make a cell do more than it says, on its own lines.
//
// # Caveats
//
// GoNB knows its lines by their first character; %fsnet lines may be indented. A cell in another language (isScript) has neither.
package cell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OpenMain opens the body of a cell in place of its %% line.
const OpenMain = "func main() {"

// mainOf is the function that an %exec line makes main.
func mainOf(line string) string {
	_, rest := commandName(withoutMark(line))
	return split(rest + " _")[0] + "()"
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
		case command, fsnet:
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

// LineMagics are lines that the kernel does itself, at the top of a cell. IPython's users know them.
func LineMagics() []Command {
	return []Command{
		{"%time", "", "say how long the Go code of this cell takes to compile and run"},
		{"%timeit", "[-n LOOPS] [-r REPEATS] [STATEMENT]",
			"run a statement, or the body of this cell, in loops, and say how long one loop takes: mean ± standard deviation"},
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
		case isLineMagic(&words[0]):
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

// isLineMagic reports whether a word is a line magic, and makes it %time where it is %%time.
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
	for _, l := range read(lines) {
		if l.kind != fsnet {
			continue
		}
		magics = append(magics, Magic{Text: Join(lines[l.first : l.last+1]...), First: l.first, Last: l.last})
	}
	return magics
}

// Continues reports whether a line goes on in the next one: it ends in a backslash.
func Continues(line string) bool { return strings.HasSuffix(strings.TrimRight(line, " \t\r"), `\`) }

// Join joins lines, each of which but the last continues in the next one. A backslash and the spaces around it count for one space, so that
// words stay words.
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
