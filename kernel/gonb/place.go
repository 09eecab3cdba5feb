package gonb

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"

	"fsnetlab/kernel/cell"
)

// program is the Go program that GoNB has made from a cell and its memory. It
// maps lines of the program to lines of cells.
type program struct {
	goFile
	cell   *source
	memory memory // when the program was made
	raw    bool   // the cell couldn't be parsed, so the program holds only the cell
}

// place is a place in a cell.
type place struct {
	from   *source
	line   int // from 0
	column int // in characters from 0; −1 if unknown
	length int // in characters
}

// placeOf returns the place of a line and a column of main.go. Both count from 1,
// and column 0 means unknown. ok is false for lines that GoNB has added.
func (p *program) placeOf(number, column int) (where place, ok bool) {
	if number < 1 || number > len(p.Lines) {
		return place{}, false
	}

	from := p.Lines[number-1]
	source := p.memory.cells[from.Cell]
	if source == nil || from.Line < 0 || from.Line >= len(source.cell) {
		return place{}, false
	}

	where = place{from: source, line: from.Line, column: -1}
	where.column, where.length = cell.SameColumn(lineOf(p.Text, number), column, source.cell[where.line])
	return where, true
}

// lineOf returns a line of a text, counted from 1, or "".
func lineOf(text string, line int) string {
	if lines := strings.Split(text, "\n"); line >= 1 && line <= len(lines) {
		return lines[line-1]
	}
	return ""
}

// atBracket returns the error for the bracket that is open at the end of the
// cell. If it can't find that bracket, it returns t, at the end of the cell.
func (p *program) atBracket(t problem) problem {
	in := cell.Compose(strings.Join(p.cell.cell, "\n"))
	text := []byte(in.Text)
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)

	var open []token.Position
	for {
		pos, tok, _ := s.Scan()
		position := file.Position(pos)
		if tok == token.EOF || (tok == token.RBRACE && in.Lines[position.Line-1] < 0) {
			break
		}

		switch tok {
		case token.LBRACE, token.LPAREN, token.LBRACK:
			open = append(open, position)
		case token.RBRACE, token.RPAREN, token.RBRACK:
			open = open[:max(len(open)-1, 0)]
		}
	}

	if len(open) == 0 || in.Text != p.Text {
		return p.atEnd(t)
	}

	last := open[len(open)-1]
	end, ok := p.placeOf(last.Line, last.Column)
	if !ok {
		return p.atEnd(t)
	}

	bracket := string(text[last.Offset])
	return problem{what: bracket + " is not closed", where: []spot{{place: end}}}
}

// atEnd returns t, placed at the end of the cell's last line that isn't blank.
func (p *program) atEnd(t problem) problem {
	t.what, _, _ = strings.Cut(t.what, ", found ")
	t.what += ", found the end of the cell"
	for line := len(p.cell.cell) - 1; line >= 0; line-- {
		if text := strings.TrimRight(p.cell.cell[line], " \t\r"); text != "" {
			t.where = []spot{{place: place{p.cell, line, utf8.RuneCountInString(text), 1}}}
			break
		}
	}
	return t
}

// functionAt returns the function that contains a line of main.go, by its name
// in the cell, or "".
func (p *program) functionAt(number int) (name string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", p.Text, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}

	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || files.Position(f.Pos()).Line > number || files.Position(f.End()).Line < number {
			continue
		}

		if at, ok := p.placeOf(files.Position(f.Pos()).Line, 0); ok && f.Name.Name == "init" {
			return initName(at.from.cell[at.line])
		}
		return functionName(f)
	}
	return ""
}
