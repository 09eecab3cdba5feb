package gonb

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"fsnetlab/kernel/cell"
)

// generated is the Go program that GoNB made of a cell and what it remembers, to find out which line of which cell a line of it was.
type generated struct {
	text   string // of main.go
	cell   *source
	memory *Memory // what was remembered when it was made
	own    cellNews
	parsed *ast.File
	files  *token.FileSet
}

// newGenerated reads main.go as it was made of a cell.
func newGenerated(text string, count int, of *Cell, memory *Memory) *generated {
	in := cell.Compose(of.sent())
	p := &generated{text: text, cell: &source{count, strings.Split(of.Code, "\n"), in.Lines}, memory: memory, files: token.NewFileSet()}
	if text == in.Text { // it could not be read: nothing was added yet
		return p
	}
	p.own = readCellAs(count, of.sent(), of.Code)
	p.parsed, _ = parser.ParseFile(p.files, "", text, parser.SkipObjectResolution)
	return p
}

// place is a line of a cell. The zero value is none.
type place struct {
	from   *source
	line   int // from 0
	column int // of the text, in characters from 0; −1 where it is not known
	length int // characters that are meant
}

// at is the place of a line and a column of main.go, both from 1; column 0 is not known. ok is false for lines that GoNB added.
func (p *generated) at(line, column int) (at place, ok bool) {
	from, composedLine := p.origin(line)
	if from == nil || composedLine < 0 || composedLine >= len(from.lines) || from.lines[composedLine] < 0 {
		return place{}, false
	}
	at = place{from: from, line: from.lines[composedLine], column: -1}
	if at.line >= len(from.cell) {
		return place{}, false
	}
	at.column, at.length = cell.SameColumn(lineNumber(p.text, line), column, from.cell[at.line])
	return at, true
}

func lineNumber(text string, line int) string {
	if lines := strings.Split(text, "\n"); line >= 1 && line <= len(lines) {
		return lines[line-1]
	}
	return ""
}

// origin is the cell of a line of main.go, and the line of that cell as composed, from 0.
func (p *generated) origin(line int) (*source, int) {
	if p.parsed == nil {
		return p.cell, line - 1
	}
	switch d := p.declarationAt(line).(type) {
	case *ast.FuncDecl:
		of, key := p.function(d)
		return p.declared(of, key, line-p.lineOf(d))
	case *ast.GenDecl:
		return p.inGeneral(d, line)
	}
	return nil, 0
}

// declarationAt is the declaration that holds a line of main.go, or nil.
func (p *generated) declarationAt(line int) ast.Decl {
	if p.parsed != nil {
		for _, d := range p.parsed.Decls {
			if p.holds(d, line) {
				return d
			}
		}
	}
	return nil
}

func (p *generated) lineOf(n ast.Node) int { return p.files.Position(n.Pos()).Line }

func (p *generated) holds(n ast.Node, line int) bool {
	return p.lineOf(n) <= line && line <= p.files.Position(n.End()).Line
}

func (p *generated) inGeneral(g *ast.GenDecl, line int) (*source, int) {
	for _, spec := range g.Specs {
		if !p.holds(spec, line) {
			continue
		}
		var name string
		switch s := spec.(type) {
		case *ast.ImportSpec:
			name = importName(s)
		case *ast.TypeSpec:
			name = s.Name.Name
		case *ast.ValueSpec:
			name = s.Names[0].Name
		}
		return p.declared(p.find(g.Tok, name, p.textOf(spec)), keyOf(g.Tok, name), line-p.lineOf(spec))
	}
	return nil, 0
}

func (p *generated) textOf(n ast.Node) string {
	return p.text[p.files.Position(n.Pos()).Offset:p.files.Position(n.End()).Offset]
}

// declared is the place of a line of a declaration.
func (p *generated) declared(d *declaration, key string, offset int) (*source, int) {
	if d == nil {
		return nil, 0
	}
	begin, ok := d.lines[key]
	if !ok {
		begin = d.lines[d.keys[0]]
	}
	return d.from, begin + offset
}

// find is the declaration of a name: this cell's, or a remembered one. Those without a name are told by their text.
func (p *generated) find(kind token.Token, name, text string) *declaration {
	all := slices.Concat(p.own.declarations, p.memory.list())
	at := slices.IndexFunc(all, func(d *declaration) bool {
		if name == "_" && kind == token.VAR {
			return strings.HasPrefix(d.keys[0], keyOf(kind, "_~")) && strings.Contains(d.text, strings.TrimPrefix(text, "_"))
		}
		return slices.Contains(d.keys, keyOf(kind, name))
	})
	if at < 0 {
		return nil
	}
	return all[at]
}

// function is the declaration of a function of main.go, and its key.
func (p *generated) function(f *ast.FuncDecl) (*declaration, string) {
	if f.Recv == nil && f.Name.Name == "main" {
		return p.own.main, ""
	}
	if f.Recv == nil && f.Name.Name == "init" { // of init_x
		for _, d := range slices.Concat(p.own.declarations, p.memory.list()) {
			if name, ok := strings.CutPrefix(d.keys[0], keyOf(token.FUNC, "init_")); ok &&
				strings.HasSuffix(strings.Replace(d.text, "init_"+name, "init", 1), p.textOf(f)) {
				return d, d.keys[0]
			}
		}
	}
	name := functionName(f)
	return p.find(token.FUNC, name, ""), keyOf(token.FUNC, name)
}

// unclosed points at the bracket that is open at the end of a cell.
func (p *generated) unclosed(t trouble) trouble {
	in := cell.Compose(strings.Join(p.cell.cell, "\n"))
	text := []byte(in.Text)
	file := p.files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	var open []token.Position
	for {
		pos, tok, _ := s.Scan()
		at := file.Position(pos)
		if tok == token.EOF || (tok == token.RBRACE && in.Lines[at.Line-1] < 0) {
			break
		}
		switch tok {
		case token.LBRACE, token.LPAREN, token.LBRACK:
			open = append(open, at)
		case token.RBRACE, token.RPAREN, token.RBRACK:
			open = open[:max(len(open)-1, 0)]
		}
	}
	if len(open) == 0 || in.Text != p.text {
		return p.atEnd(t)
	}
	last := open[len(open)-1]
	at, ok := p.at(last.Line, last.Column)
	if !ok {
		return p.atEnd(t)
	}
	bracket := string(text[last.Offset])
	return trouble{what: bracket + " is not closed", where: []spot{{place: at}}}
}

// atEnd is about what is missing at the end of a cell.
func (p *generated) atEnd(t trouble) trouble {
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

// functionAt is the name, in its cell, of the function that holds a line of main.go.
func (p *generated) functionAt(line int) string {
	f, ok := p.declarationAt(line).(*ast.FuncDecl)
	if !ok {
		return ""
	}
	_, key := p.function(f)
	_, name, _ := strings.Cut(key, " ")
	return name
}
