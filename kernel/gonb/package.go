package gonb

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"fsnetlab/kernel/cell"
)

// Package is the package that a cell would be compiled in: two files, the cell's own and one with what earlier cells declared and this
// one does not declare anew. Line i of the cell is line i + first of its file, character for character.
func (m *Memory) Package(code string) (cell, remembered string, first int) {
	own := map[string]bool{}
	for _, d := range readCell(0, code).declarations {
		for _, key := range d.keys {
			own[key] = true
		}
	}
	var imports, rest strings.Builder
	for _, d := range m.list() {
		switch {
		case slices.ContainsFunc(d.keys, func(key string) bool { return own[key] }):
		case d.kind == token.IMPORT: // for both files: gopls does not mind those that are not used
			imports.WriteString(d.text + "\n")
		default:
			rest.WriteString(d.text + "\n")
		}
	}
	isKnown := func(name string) bool {
		return slices.ContainsFunc(kinds(), func(kind token.Token) bool {
			key := keyOf(kind, name)
			return own[key] || m.declared[key] != nil
		})
	}
	opening, text := wrapped(code)
	header := "package main\n" + imports.String()
	remembered = header + usedStandard(rest.String(), isKnown) + rest.String()
	header += usedStandard(text, isKnown) + opening
	return header + text, remembered, strings.Count(header, "\n")
}

// kinds are in the order in which %rm looks.
func kinds() []token.Token {
	return []token.Token{token.IMPORT, token.CONST, token.TYPE, token.VAR, token.FUNC}
}

// wrapped is a cell as Go. Statements without a %% line above are put into a function, so that they are understood while they are being
// written; where they begin on the first line, opening goes before it.
func wrapped(code string) (opening, text string) {
	text = cell.GoFile(code)
	_, err := parser.ParseFile(token.NewFileSet(), "", "package main;"+text, parser.SkipObjectResolution)
	line := strayStatement(err)
	lines := strings.Split(text, "\n")
	switch {
	case line < 0 || slices.Contains(lines, cell.OpenMain):
		return "", text
	case line == 0:
		return cell.OpenMain + "\n", text + "}\n"
	case strings.HasPrefix(strings.TrimSpace(lines[line-1]), "//"):
		lines[line-1] = cell.OpenMain
	case strings.Contains(lines[line-1], "//"):
		return "", text
	default:
		lines[line-1] += " " + cell.OpenMain
	}
	return "", strings.Join(lines, "\n") + "}\n"
}

// strayStatement is the line, from 0, of a statement where the parser wants a declaration, or -1.
func strayStatement(err error) int {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 && strings.HasPrefix(list[0].Msg, "expected declaration") {
		return list[0].Pos.Line - 1
	}
	return -1
}
