package cell

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Wrapped is a cell as Go. Statements without a %% line above are put into a function, so that they are understood while they are being
// written; where they begin on the first line, opening goes before it.
func Wrapped(code string) (opening, text string) {
	text = GoFile(code)
	_, err := parser.ParseFile(token.NewFileSet(), "", "package main;"+text, parser.SkipObjectResolution)
	line := strayStatement(err)
	lines := strings.Split(text, "\n")
	switch {
	case line < 0 || slices.Contains(lines, OpenMain):
		return "", text
	case line == 0:
		return OpenMain + "\n", text + "}\n"
	case strings.HasPrefix(strings.TrimSpace(lines[line-1]), "//"):
		lines[line-1] = OpenMain
	case strings.Contains(lines[line-1], "//"):
		return "", text
	default:
		lines[line-1] += " " + OpenMain
	}
	return "", strings.Join(lines, "\n") + "}\n"
}

// WithBody opens main before the first statement of a cell that has no %% line, behind its declarations, so that the cell runs as people
// type it. Every line stays on its line; the end of main is a line more. A cell without such a statement stays as it is, and so does one
// where a closing bracket or the word fsnet stands in its place.
func WithBody(code string) string {
	lines := strings.Split(code, "\n")
	if isScript(code) || slices.ContainsFunc(kinds(lines), func(k kind) bool { return k == begin || k == exec }) {
		return code
	}
	const clause = "package main;"
	_, err := parser.ParseFile(token.NewFileSet(), "", clause+GoFile(code), parser.SkipObjectResolution)
	line := strayStatement(err)
	if line < 0 || strings.Contains(code, OpenMain) {
		return code
	}
	if text := strings.TrimSpace(lines[line]); strings.HasPrefix(text, "fsnet ") || strings.ContainsAny(text[:1], ")]}") {
		return code
	}
	at := len(lines[line]) - len(strings.TrimLeft(lines[line], " \t"))
	lines[line] = lines[line][:at] + OpenMain + " " + lines[line][at:]
	return strings.Join(lines, "\n") + "\n}"
}

// strayStatement is the line, from 0, of a statement where the parser wants a declaration, or -1.
func strayStatement(err error) int {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 && strings.HasPrefix(list[0].Msg, "expected declaration") {
		return list[0].Pos.Line - 1
	}
	return -1
}

// standard are the packages that a cell uses without importing them, since goimports does it; of two with the same name the one that
// goimports takes.
func standard() []string {
	return strings.Fields(`bufio bytes cmp compress/gzip container/heap context crypto/sha256 encoding/binary encoding/csv encoding/hex
		encoding/json errors flag fmt image image/color image/png io io/fs iter log log/slog maps math math/big math/bits math/cmplx
		math/rand net/http net/url os os/exec path path/filepath reflect regexp runtime runtime/debug slices sort strconv strings sync
		sync/atomic text/tabwriter text/template time unicode unicode/utf8`)
}

// selected finds what could be the name of a package.
var selected = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.`)

// Usual are those that every package imports whether or not it uses them: gopls takes a fifth of a second to take in a new import.
func Usual() []string {
	return []string{"bytes", "context", "errors", "fmt", "math", "os", "slices", "sort", "strconv", "strings", "sync", "time"}
}

// StandardImports imports the standard packages that a text seems to use, but for names that mean something else.
func StandardImports(text string, isKnown func(name string) bool) string {
	used := Usual()
	for _, found := range selected.FindAllStringSubmatch(text, -1) {
		used = append(used, found[1])
	}
	imports := ""
	for _, p := range standard() {
		if name := path.Base(p); slices.Contains(used, name) && !isKnown(name) {
			imports += "import \"" + p + "\"\n"
		}
	}
	return imports
}
