package gonb

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"fsnetlab/kernel/cell"
)

// Memory is what GoNB remembers of the cells that compiled, by its own rules: a declaration takes the place of an earlier one of the
// same name, what a body (below %%) sets is lost. The zero value remembers nothing. It is not safe for use by several goroutines.
type Memory struct {
	declared map[string]*declaration // by kind and name
	lost     map[string]int          // names that a body had set, and the cell that did it last
	ordered  int
}

// declaration is one that later cells see. Several names may share one.
type declaration struct {
	keys  []string
	kind  token.Token // IMPORT · TYPE · CONST · VAR · FUNC
	text  string      // as it stands in a file by itself
	order int
	from  *source
	lines map[string]int // by key: where it begins in the composed cell, from 0, without comments
}

// source is the cell that a declaration came from.
type source struct {
	count int
	cell  []string // its lines
	lines []int    // see composed
}

// Keep takes up a cell that compiled.
func (m *Memory) Keep(count int, code string) {
	found := readCell(count, code)
	for _, d := range found.declarations {
		m.forget(d.keys...)
		m.ordered++
		d.order = m.ordered
		if m.declared == nil {
			m.declared = map[string]*declaration{}
		}
		for _, key := range d.keys {
			m.declared[key] = d
		}
	}
	for _, name := range found.body {
		if m.lost == nil {
			m.lost = map[string]int{}
		}
		m.lost[name] = count
	}
}

// Command takes up what the special lines of a cell do to what GoNB remembers; they take effect also where the cell fails. It reports
// whether a cell resets GoNB.
func (m *Memory) Command(code string) (reset bool) {
	for _, words := range cell.CommandLines(code) {
		switch words[0] {
		case "%reset":
			if reset = true; len(words) == 1 {
				*m = Memory{}
			}
		case "%rm", "%remove":
			for _, name := range words[1:] {
				m.remove(name)
			}
		}
	}
	return reset
}

// remove forgets the first kind of thing of that name, as %rm does.
func (m *Memory) remove(name string) {
	for _, kind := range kinds() {
		if key := keyOf(kind, name); m.declared[key] != nil {
			m.forget(key)
			return
		}
	}
}

// forget drops declarations by key, each with all that it declares.
func (m *Memory) forget(keys ...string) {
	for _, key := range keys {
		if d := m.declared[key]; d != nil {
			for _, other := range d.keys {
				delete(m.declared, other)
			}
		}
	}
}

// list is what is remembered, in the order in which it was declared.
func (m *Memory) list() []*declaration {
	seen := map[*declaration]bool{}
	for _, d := range m.declared {
		seen[d] = true
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b *declaration) int { return a.order - b.order })
}

// clone is a copy that can be changed without this one.
func (m *Memory) clone() *Memory {
	return &Memory{declared: maps.Clone(m.declared), lost: maps.Clone(m.lost), ordered: m.ordered}
}

// Names are what %rm knows.
func (c *Child) Names() []string {
	c.remembering.Lock()
	defer c.remembering.Unlock()
	var names []string
	for _, d := range c.memory.list() {
		for _, key := range d.keys {
			if _, name, _ := strings.Cut(key, " "); !strings.HasPrefix(name, "_~") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Package is the package that a cell would be compiled in: two files, the cell's own and one with what earlier cells declared and this
// one does not declare anew. Line i of the cell is line i + first of its file, character for character.
func (m *Memory) Package(code string) (own, remembered string, first int) {
	declares := map[string]bool{}
	for _, d := range readCell(0, code).declarations {
		for _, key := range d.keys {
			declares[key] = true
		}
	}
	var imports, rest strings.Builder
	for _, d := range m.list() {
		switch {
		case slices.ContainsFunc(d.keys, func(key string) bool { return declares[key] }):
		case d.kind == token.IMPORT: // for both files: gopls does not mind those that are not used
			imports.WriteString(d.text + "\n")
		default:
			rest.WriteString(d.text + "\n")
		}
	}
	isKnown := func(name string) bool {
		return slices.ContainsFunc(kinds(), func(kind token.Token) bool {
			key := keyOf(kind, name)
			return declares[key] || m.declared[key] != nil
		})
	}
	opening, text := cell.Wrapped(code)
	header := "package main\n" + imports.String()
	remembered = header + cell.StandardImports(rest.String(), isKnown) + rest.String()
	header += cell.StandardImports(text, isKnown) + opening
	return header + text, remembered, strings.Count(header, "\n")
}

// kinds are in the order in which %rm looks.
func kinds() []token.Token {
	return []token.Token{token.IMPORT, token.CONST, token.TYPE, token.VAR, token.FUNC}
}

// Declared is something that later cells see.
type Declared struct {
	Name string // of a method, TYPE~METHOD, as %rm knows it
	Kind string // const · type · var · func · import
	Text string // the first line of its declaration
	Cell int    // that declared it
}

// longestDeclared is how much of a declaration is shown, in letters.
const longestDeclared = 70

// Declared lists what cells have declared, in that order; imports that are there without being asked are left out.
func (c *Child) Declared() (list []Declared) {
	c.remembering.Lock()
	defer c.remembering.Unlock()
	for _, d := range c.memory.list() {
		if d.from.count == 0 {
			continue
		}
		text := declaredLine(d.text)
		for _, key := range d.keys {
			kind, name, _ := strings.Cut(key, " ")
			if !strings.HasPrefix(name, "_~") {
				list = append(list, Declared{Name: name, Kind: kind, Text: text, Cell: d.from.count})
			}
		}
	}
	return list
}

// declaredLine is the first line of a declaration that is no comment.
func declaredLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		if runes := []rune(line); len(runes) > longestDeclared {
			return string(runes[:longestDeclared-1]) + "…"
		}
		return line
	}
	return ""
}
