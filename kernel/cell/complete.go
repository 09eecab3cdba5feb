package cell

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Completeness says whether a console should run a cell without %fsnet lines (complete), let the user go on (incomplete), with what
// indent, or cannot make sense of it (invalid). Lines for GoNB's shell are complete; Go is when its brackets, strings and comments are
// closed and it does not end in an operator. A script ends with a blank line.
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
		if t == token.SEMICOLON && literal == "\n" { // put there by the scanner
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

// expectsMore reports whether something must follow a token: an operator other than ++ and --, or a word that begins something.
func expectsMore(t token.Token) bool {
	switch t {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.RETURN, token.BREAK, token.CONTINUE,
		token.FALLTHROUGH:
		return false
	}
	return t.IsOperator() || t.IsKeyword()
}
