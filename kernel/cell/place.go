package cell

import (
	"strings"
	"unicode"
)

// Place is where a cursor is in a cell. All counts characters, from 0.
type Place struct {
	Line, Column int
	Offset       int    // of the line
	Before       string // what stands before the cursor in its line
}

// Cursor is the place in the cell.
func (p Place) Cursor() int { return p.Offset + p.Column }

// At is the place of a cursor, or that end of the cell which is nearest: JupyterLab asks for places behind what is left of a line.
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

// CommandAt is the word that ends at the cursor, in a line of GoNB's own or in a script: what is no Go. first is the line's first word.
func CommandAt(code string, at Place) (word, first string, ok bool) {
	text := withoutMark(at.Before)
	if !strings.HasPrefix(text, "%") && !strings.HasPrefix(text, "!") && !IsScript(code) {
		return "", "", false
	}
	word = text[strings.LastIndexAny(text, " \t")+1:]
	if words := strings.Fields(text); len(words) > 0 {
		first = words[0]
	}
	return word, first, true
}

// NameAt is where the name at a place begins, or the one before it; between the parentheses of a call it is the function's.
func NameAt(code string, at Place) (name Place, ok bool) {
	runes, cursor := []rune(code), at.Cursor()
	begin, ok := nameAround(runes, cursor)
	depth := 0
	for i := cursor - 1; !ok && i >= at.Offset; i-- {
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

// nameAround is where the name begins that holds a place or ends there.
func nameAround(runes []rune, at int) (begin int, ok bool) {
	part := func(i int) bool {
		return i >= 0 && i < len(runes) && (runes[i] == '_' || unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for part(at - 1) {
		at--
	}
	return at, part(at) && !unicode.IsDigit(runes[at])
}
