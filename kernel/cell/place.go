package cell

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Place is the place of a cursor in a cell. All numbers count characters or
// lines from 0.
type Place struct {
	Line, Column int
	Offset       int    // of the line's start in the cell
	Before       string // the line up to the cursor
}

// Cursor returns the offset in the cell.
func (p Place) Cursor() int { return p.Offset + p.Column }

// At returns the place of a cursor. It moves a cursor outside the cell to the
// nearest end, because JupyterLab asks for places behind the end of a line that
// was shortened.
func At(code string, cursor int) (p Place) {
	runes := []rune(code)
	cursor = min(max(cursor, 0), len(runes))

	for i, r := range runes[:cursor] {
		if r == '\n' {
			p.Line, p.Offset = p.Line+1, i+1
		}
	}

	p.Column, p.Before = cursor-p.Offset, string(runes[p.Offset:cursor])
	return p
}

// CommandAt returns the word that ends at the cursor, and the first word of the
// line up to there. ok is false unless the line is a command or part of a
// script.
func CommandAt(code string, at Place) (word, first string, ok bool) {
	text := cutMark(at.Before)
	if is := kinds(strings.Split(code, "\n"))[at.Line]; (is == goCode || is == fsnet || text == "") && !isScript(code) {
		return "", "", false
	}

	word = text[strings.LastIndexAny(text, " \t")+1:]
	if words := strings.Fields(text); len(words) > 0 {
		first = words[0]
	}
	return word, first, true
}

// NameAt returns the start of the name at a place or right before it. Between
// the parentheses of a call, it returns the start of the function's name. ok is
// false if there is no name.
func NameAt(code string, from Place) (name Place, ok bool) {
	runes, cursor := []rune(code), from.Cursor()
	begin, ok := nameAround(runes, cursor)

	depth := 0

	for i := cursor - 1; !ok && i >= from.Offset; i-- {
		switch runes[i] {
		case ')':
			depth++
		case '(':
			if depth == 0 {
				begin, ok = nameAround(runes, i)
				return At(code, begin), ok
			}
			depth--
		}
	}

	return At(code, begin), ok
}

// nameAround returns the start of the name that contains at or ends there. ok
// is false if there is no name, or only a number.
func nameAround(runes []rune, cursor int) (begin int, ok bool) {
	part := func(i int) bool {
		return i >= 0 && i < len(runes) && (runes[i] == '_' || unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}

	for part(cursor - 1) {
		cursor--
	}
	return cursor, part(cursor) && !unicode.IsDigit(runes[cursor])
}

// SameColumn finds the token at a column of a line of GoNB's program in the
// original line of the cell. column counts bytes from 1. SameColumn returns the
// start and the length of the token in characters, or −1 and 0 if it finds no
// token.
func SameColumn(generated string, column int, line string) (at, length int) {
	if column < 1 || column > len(generated)+1 {
		return -1, 0
	}

	rest := strings.TrimRight(generated[column-1:], " \t\r")
	token := firstToken(rest)

	found := nearestIndex(line, rest, column-1)
	if found < 0 || rest == "" {
		found = nearestIndex(line, token, column-1)
	}

	if found < 0 {
		return -1, 0
	}
	return utf8.RuneCountInString(line[:found]), max(utf8.RuneCountInString(token), 1)
}

// nearestIndex returns the index of the occurrence of part in line that is
// nearest to the byte to. It returns −1 if there is none.
func nearestIndex(line, part string, to int) int {
	best := -1
	for from := 0; from <= len(line); from++ {
		i := strings.Index(line[from:], part)
		if i < 0 {
			break
		}
		from += i
		if best < 0 || abs(from-to) < abs(best-to) {
			best = from
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// firstToken returns the part of a text to underline: a name, a string, or one
// character.
func firstToken(text string) string {
	for i, r := range text {
		switch {
		case r == '_' || r >= utf8.RuneSelf || ('0' <= r && r <= '9') || ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z'):
		case i == 0 && r == '"':
			if end := strings.IndexByte(text[1:], '"'); end >= 0 {
				return text[:end+2]
			}
			return text
		case i == 0:
			return text[:utf8.RuneLen(r)]
		default:
			return text[:i]
		}
	}
	return text
}

// Completeness tells a console what to do with a cell that has no %fsnet lines.
// "complete" means to run it, "incomplete" to let the user type another line
// with that indent, and "invalid" that it can't run. Go code is complete if its
// brackets, strings and comments are closed and it doesn't end in an operator.
// A script ends with a blank line.
func Completeness(code string) (status, indent string) {
	lines := strings.Split(code, "\n")
	last := strings.TrimSpace(lines[len(lines)-1])

	if isScript(code) {
		if len(lines) > 1 && last == "" {
			return "complete", ""
		}
		return "incomplete", ""
	}

	is := kinds(lines)
	if (is[0] == begin && len(lines) == 1) || (is[len(is)-1] == command && Continues(last)) {
		return "incomplete", ""
	}

	for i, k := range is {
		if k != goCode {
			lines[i] = ""
		}
	}

	return goCompleteness(strings.Join(lines, "\n"))
}

// goCompleteness is Completeness for Go code. indent has a tab for each open
// bracket.
func goCompleteness(code string) (status, indent string) {
	var open []token.Token
	before := token.SEMICOLON
	unterminated, invalid := false, false

	file := token.NewFileSet().AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(_ token.Position, problem string) {
		if strings.Contains(problem, "raw string literal not terminated") || strings.Contains(problem, "comment not terminated") {
			unterminated = true
		} else {
			invalid = true
		}
	}, 0)

	opening := map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}

	for {
		_, t, literal := s.Scan()
		if t == token.EOF {
			break
		}
		if t == token.SEMICOLON && literal == "\n" { // added by the scanner
			continue
		}

		before = t
		switch t {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, t)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || open[len(open)-1] != opening[t] {
				return "invalid", ""
			}
			open = open[:len(open)-1]
		}
	}

	switch {
	case unterminated:
		return "incomplete", ""
	case invalid:
		return "invalid", ""
	case len(open) > 0, expectsMore(before):
		return "incomplete", strings.Repeat("\t", len(open))
	}
	return "complete", ""
}

// expectsMore reports whether another token must follow. That is so after
// operators other than ++ and --, after opening brackets, and after most
// keywords.
func expectsMore(t token.Token) bool {
	switch t {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.RETURN, token.BREAK, token.CONTINUE,
		token.FALLTHROUGH:
		return false
	}
	return t.IsOperator() || t.IsKeyword()
}
