package cell

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// kind is the kind of a line. In read, continuation lines belong to the line
// that they continue. In kinds, where each line has a kind, they count as
// commands.
type kind int

const (
	goCode  kind = iota // Go, or blank
	begin               // %% or %main: the body of main follows
	exec                // %exec: makes a function main
	command             // any other command; also a package clause, which is omitted
	fsnet               // %fsnet
)

// line is one line of a cell with its continuation lines.
type line struct {
	kind        kind
	first, last int // lines of the cell, counted from 0
}

// read divides a cell into lines. It alone decides what is a command: no other
// code looks at the start of a line. A line inside a raw string, a comment or
// an expression is Go, even if it starts like a command.
func read(lines []string) (list []line) {
	var text goText
	for i := 0; i < len(lines); i++ {
		l := line{first: i}
		if !text.isOpen() {
			l.kind = kindOf(lines[i])
		}

		switch l.kind {
		case goCode:
			text.add(lines[i])
		case fsnet:
			for ; i+1 < len(lines) && Continues(lines[i]); i++ {
			}
		default:
			for ; i+1 < len(lines) && strings.HasSuffix(strings.TrimSuffix(lines[i], "\r"), `\`); i++ {
			}
		}

		l.last = i
		list = append(list, l)
	}
	return list
}

// kindOf returns the kind of a line that starts a statement.
func kindOf(line string) kind {
	text := cutMark(line)
	switch name, _ := commandName(text); {
	case IsMagic(line):
		return fsnet
	case name == "%%", name == "%main":
		return begin
	case name == "%exec":
		return exec
	case name != "":
		return command
	}

	if word, _ := firstWord(line); word == "package" {
		return command
	}
	return goCode
}

// commandName returns the name of a command and what follows it. The name is
// "%" or "!" for a command without a name. It is "" if the line isn't a
// command.
func commandName(text string) (name, rest string) {
	if strings.HasPrefix(text, "!") {
		return "!", strings.TrimSpace(text[1:])
	}
	if strings.HasPrefix(text, "%") {
		return firstWord("%" + strings.TrimSpace(text[1:]))
	}
	return "", text
}

// command returns the text of a command, without the backslashes at which it
// continues.
func (l line) command(lines []string) string {
	var text []string
	for _, part := range lines[l.first : l.last+1] {
		text = append(text, strings.TrimSuffix(cutMark(strings.TrimSuffix(part, "\r")), `\`))
	}
	return strings.Join(text, " ")
}

// kinds returns the kind of each line of a cell. A continuation line counts as
// a command.
func kinds(lines []string) []kind {
	list := make([]kind, len(lines))
	for _, l := range read(lines) {
		for at := l.first; at <= l.last; at++ {
			list[at] = command
		}
		list[l.first] = l.kind
	}
	return list
}

// goText records which literals and brackets are open at the start of a line of
// Go.
type goText struct {
	literal string      // "`" in a raw string, "*/" in a comment
	last    token.Token // the last token; ILLEGAL before the first one
	types   bool        // the last tokens are the type of an array, a slice or a map
	levels  []level     // open brackets, innermost last
}

// level describes the text between two brackets.
type level struct {
	expression bool // an argument list, an index or a composite literal, where no statement can start
	function   bool // the next brace opens the body of a function, a type or an else
	header     bool // the next brace ends the header of an if, a for or a switch
}

// isOpen reports whether the next line continues a literal or an expression.
func (g *goText) isOpen() bool {
	inner := g.inner()
	return g.literal != "" || inner.expression || g.last != token.LBRACE && g.last != token.COLON && expectsMore(g.last)
}

// inner returns the innermost level. The caller may change it.
func (g *goText) inner() *level {
	if len(g.levels) == 0 {
		g.levels = []level{{}} // outside all brackets
	}
	return &g.levels[len(g.levels)-1]
}

// add reads a line of Go and records what is open after it.
func (g *goText) add(line string) {
	if g.literal != "" {
		_, rest, closed := strings.Cut(line, g.literal)
		if !closed {
			return
		}

		if g.literal == "`" {
			g.last = token.STRING
		}
		g.literal, line = "", rest
	} else if inner := g.inner(); !inner.expression && !expectsMore(g.last) {
		g.last, inner.function, inner.header = token.SEMICOLON, false, false
	}

	var s scanner.Scanner

	s.Init(token.NewFileSet().AddFile("", -1, len(line)), []byte(line), func(_ token.Position, problem string) {
		switch {
		case strings.HasPrefix(problem, "raw string literal not terminated"):
			g.literal = "`"
		case strings.HasPrefix(problem, "comment not terminated"):
			g.literal = "*/"
		}
	}, 0)

	for {
		_, t, text := s.Scan()
		if t == token.EOF {
			return
		}
		if t != token.SEMICOLON || text == ";" {
			g.token(t)
		}
	}
}

// token records what is open after a token.
func (g *goText) token(t token.Token) {
	inner := g.inner()

	switch t {
	case token.LPAREN, token.LBRACK:
		g.levels = append(g.levels, level{expression: true})
	case token.LBRACE:
		expression := g.opensLiteral(inner)
		if !expression && inner.function {
			inner.function = false
		} else if !expression {
			inner.header = false
		}
		g.levels = append(g.levels, level{expression: expression})
	case token.RPAREN, token.RBRACK, token.RBRACE:
		if len(g.levels) > 1 {
			g.levels = g.levels[:len(g.levels)-1]
		}
	case token.FUNC, token.STRUCT, token.INTERFACE, token.SELECT, token.ELSE:
		inner.function = true
	case token.IF, token.FOR, token.SWITCH:
		inner.header = true
	case token.COMMA:
		inner.function = inner.function && !inner.expression
	}

	g.types = g.last == token.RBRACK && t == token.IDENT ||
		g.types && slices.Contains([]token.Token{token.IDENT, token.PERIOD, token.MUL, token.LBRACK, token.RBRACK}, t)
	g.last = t
}

// opensLiteral reports whether a brace at this place opens a composite literal.
func (g *goText) opensLiteral(inner *level) bool {
	if inner.function {
		return false
	}
	if inner.header {
		return g.types
	}
	return inner.expression || g.last == token.IDENT || g.last == token.RBRACK || g.last == token.RBRACE
}

// cutMark removes the mark that hides a command from other Go tools.
func cutMark(line string) string { return strings.TrimPrefix(line, "//gonb:") }

// firstWord returns the first word of a line and what follows it. The word is
// "" if the line starts with a space.
func firstWord(line string) (word, rest string) {
	if at := strings.IndexFunc(line, unicode.IsSpace); at >= 0 {
		return line[:at], strings.TrimSpace(line[at:])
	}
	return line, ""
}

// isScript reports whether a cell holds another language, named by its first
// line as in %%bash.
func isScript(code string) bool {
	first, _, _ := strings.Cut(code, "\n")
	word, _ := firstWord(cutMark(first))
	return word != "%%" && strings.HasPrefix(word, "%%") && slices.ContainsFunc(Commands(), func(c Command) bool { return c.Name == word })
}
