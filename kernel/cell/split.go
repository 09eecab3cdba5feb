package cell

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"fsnetlab/fsnet/fault"
)

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

// Split takes the %fsnet lines off the top of a cell, blank and comment lines aside. rest is what follows, for the Go compiler, with blank
// lines in place of the magic ones so that its line numbers are the cell's; it is "" where only blank and comment lines follow.
func Split(code string) (magics []Magic, rest string, err error) {
	lines := strings.Split(code, "\n")
	magics, behind := top(lines)
	if n := strayLine(code, lines, behind); n > 0 {
		return nil, "", fault.New(fault.Request, "move it above the Go code, or into a cell of its own", "line %d: %s after Go code", n, Prefix)
	}
	switch {
	case len(magics) == 0:
		return nil, code, nil
	case behind == len(lines):
		return magics, "", nil
	}
	blank(lines, magics, func(string) string { return "" })
	return magics, strings.Join(lines, "\n"), nil
}

// Blank is a cell with the %fsnet lines at its top blanked out, rune by rune, so that every offset stays what it was.
func Blank(code string) string {
	lines := strings.Split(code, "\n")
	magics, _ := top(lines)
	blank(lines, magics, func(line string) string { return strings.Repeat(" ", utf8.RuneCountInString(line)) })
	return strings.Join(lines, "\n")
}

func blank(lines []string, magics []Magic, by func(string) string) {
	for _, m := range magics {
		for i := m.First; i <= m.Last; i++ {
			lines[i] = by(lines[i])
		}
	}
}

// top finds the %fsnet lines at the top of a cell, and the first line behind them that is neither blank nor a comment.
func top(lines []string) (magics []Magic, behind int) {
	if IsScript(lines[0]) {
		return nil, len(lines)
	}
	for at := 0; at < len(lines); at++ {
		if text := strings.TrimSpace(lines[at]); text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		if !IsMagic(lines[at]) {
			return magics, at
		}
		m := Magic{Text: lines[at], First: at}
		for ; at+1 < len(lines) && Continues(m.Text); at++ {
			m.Text = Join(m.Text, lines[at+1])
		}
		m.Last = at
		magics = append(magics, m)
	}
	return magics, len(lines)
}

// Continues reports whether a line goes on in the next one: it ends in a backslash.
func Continues(line string) bool { return strings.HasSuffix(strings.TrimRight(line, " \t\r"), `\`) }

// Join is a line that goes on and the next one as one. The backslash and the spaces around it count for one space, so that words stay
// words.
func Join(line, next string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, " \t\r"), `\`), " \t") + " " + strings.TrimLeft(next, " \t")
}

// strayLine is the number of the first %fsnet line from index i on, or 0. One inside a raw string or a comment is text.
func strayLine(code string, lines []string, i int) int {
	for ; i < len(lines); i++ {
		if IsMagic(lines[i]) && !insideLiteral(code, i+1) {
			return i + 1
		}
	}
	return 0
}

// insideLiteral reports whether a line of Go code, counted from 1, begins inside a raw string or a comment.
func insideLiteral(code string, line int) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, []byte(code), nil, scanner.ScanComments)
	for {
		position, t, literal := s.Scan()
		if t == token.EOF {
			return false
		}
		begin := file.Line(position)
		if (t == token.STRING || t == token.COMMENT) && begin < line && line <= begin+strings.Count(literal, "\n") {
			return true
		}
	}
}
