package kernel

import (
	"go/scanner"
	"go/token"
	"strings"

	"fsnetlab/kernel/magic"
	"fsnetlab/kernel/wire"
)

func (k *Kernel) isComplete(m wire.Message) (string, any) {
	var request wire.IsCompleteRequest
	if err := m.Decode(&request); err != nil {
		return badRequest("is_complete_reply", err)
	}
	k.consoles.ask(m.Header.Session, request.Code)
	return "is_complete_reply", completeness(request.Code)
}

// completeness says whether a console should run code or let the user go on. Lines for the kernel or GoNB's shell are complete; Go is
// when its brackets, strings and comments are closed and it does not end in an operator. What follows GoNB's own cell magics ends with
// a blank line.
func completeness(code string) wire.IsCompleteReply {
	if complete, ok := magic.IsComplete(code); ok {
		if complete {
			return wire.IsCompleteReply{Status: "complete"}
		}
		return wire.IsCompleteReply{Status: "incomplete"}
	}
	lines := strings.Split(code, "\n")
	first, last := strings.TrimSpace(lines[0]), strings.TrimSpace(lines[len(lines)-1])
	switch {
	case strings.TrimSpace(code) == "":
		return wire.IsCompleteReply{Status: "complete"}
	case strings.HasPrefix(first, "%%") && first != "%%" && !strings.HasPrefix(first, "%% "):
		if len(lines) > 1 && last == "" {
			return wire.IsCompleteReply{Status: "complete"}
		}
		return wire.IsCompleteReply{Status: "incomplete"}
	case strings.HasPrefix(first, "%%") && len(lines) == 1: // begins func main
		return wire.IsCompleteReply{Status: "incomplete"}
	case strings.HasSuffix(last, `\`) && (strings.HasPrefix(last, "!") || strings.HasPrefix(last, "%")):
		return wire.IsCompleteReply{Status: "incomplete"}
	}
	for i, line := range lines {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!") {
			lines[i] = ""
		}
	}
	return goCompleteness(strings.Join(lines, "\n"))
}

func goCompleteness(code string) wire.IsCompleteReply {
	var open []token.Token
	before := token.SEMICOLON
	unterminated, invalid := false, false
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(_ token.Position, problem string) {
		switch {
		case strings.Contains(problem, "raw string literal not terminated"), strings.Contains(problem, "comment not terminated"):
			unterminated = true
		default:
			invalid = true
		}
	}, 0)
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
			if len(open) == 0 || open[len(open)-1] != opening(t) {
				return wire.IsCompleteReply{Status: "invalid"}
			}
			open = open[:len(open)-1]
		}
	}
	switch {
	case unterminated:
		return wire.IsCompleteReply{Status: "incomplete"}
	case invalid:
		return wire.IsCompleteReply{Status: "invalid"}
	case len(open) > 0, goesOn(before):
		return wire.IsCompleteReply{Status: "incomplete", Indent: strings.Repeat("\t", len(open))}
	}
	return wire.IsCompleteReply{Status: "complete"}
}

func opening(closing token.Token) token.Token {
	switch closing {
	case token.RPAREN:
		return token.LPAREN
	case token.RBRACK:
		return token.LBRACK
	default:
		return token.LBRACE
	}
}

// goesOn reports whether something must follow a token: an operator other than ++ and --, or a word that begins something.
func goesOn(t token.Token) bool {
	switch t {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON:
		return false
	case token.RETURN, token.BREAK, token.CONTINUE, token.FALLTHROUGH:
		return false
	}
	return t.IsOperator() || t.IsKeyword()
}
