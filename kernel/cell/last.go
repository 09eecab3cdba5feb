package cell

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/errs"
)

// MustMethod makes the handle of a session whose verbs give one value.
const MustMethod = "Must"

// showCall shows what stands in its brackets; a cell imports its package without being asked.
const showCall = "widgets.Show("

// ShowLast is a cell whose value is shown: its body's last statement where that is an expression, or the one expression that it consists
// of. Every line stays on its line, and main is opened as [WithBody] does it. gives tells whether a function that cells declare gives one
// value, and of a session's "Must.Verb" whether that does. ok is false where there is nothing to show.
//
// What is not a call would not compile as a statement, so showing it takes nothing from anybody. Of calls, which compile, those are shown
// that can be there for their value alone: of cells' own functions, of packages that do nothing else, and the verbs of a session. A
// semicolon behind the expression keeps it from being shown.
func ShowLast(code string, gives func(function string) bool) (shown string, ok bool) {
	if isScript(code) {
		return code, false
	}
	if shown, ok = showWhole(code, gives); ok && !hasCommands(code) {
		return shown, true
	}
	opened := WithBody(code)
	lines := strings.Split(opened, "\n")
	if opened == code && !hasCommands(code) {
		return code, false // declarations, or a main of the user's own, who means it
	}
	code = opened
	in := Compose(code)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", in.Text, parser.SkipObjectResolution)
	if err != nil {
		return code, false
	}
	body := bodyOf(file)
	if len(body) == 0 {
		return code, false
	}
	last, ok := body[len(body)-1].(*ast.ExprStmt)
	if !ok || !isValue(last.X, gives) {
		return code, false
	}
	from, to := files.Position(last.Pos()), files.Position(last.End())
	begin, end := in.Lines[from.Line-1], in.Lines[to.Line-1]
	if begin < 0 || end < 0 || strings.HasPrefix(strings.TrimSpace(lines[end][to.Column-1:]), ";") {
		return code, false
	}
	return edited(code, []edit{{begin, from.Column - 1, from.Column - 1, showCall}, {end, to.Column - 1, to.Column - 1, ")"}}), true
}

// hasCommands reports whether a cell has lines that are not Go.
func hasCommands(code string) bool {
	return slices.ContainsFunc(kinds(strings.Split(code, "\n")), func(k kind) bool { return k != goCode })
}

// showWhole is a cell that is one expression.
func showWhole(code string, gives func(string) bool) (string, bool) {
	whole, err := parser.ParseExpr(code)
	if err != nil || !isValue(whole, gives) {
		return code, false
	}
	from, to := int(whole.Pos())-1, int(whole.End())-1
	return code[:from] + OpenMain + " " + showCall + code[from:to] + ") }" + code[to:], true
}

// bodyOf are the statements of main.
func bodyOf(file *ast.File) []ast.Stmt {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" && f.Body != nil {
			return f.Body.List
		}
	}
	return nil
}

// isValue reports whether an expression is there for its value.
func isValue(x ast.Expr, gives func(string) bool) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isValue(x.X, gives)
	case *ast.UnaryExpr:
		return x.Op != token.ARROW // a receive may be there to wait
	case *ast.BadExpr, *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.ChanType, *ast.FuncLit:
		return false
	case *ast.CallExpr:
		return givesValue(x.Fun, gives)
	}
	return true
}

// givesValue reports whether a function is called for its value.
func givesValue(function ast.Expr, gives func(string) bool) bool {
	switch f := function.(type) {
	case *ast.Ident:
		return slices.Contains(strings.Fields(`append cap complex imag len make max min new real bool byte complex64 complex128 float32 float64
			int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any`), f.Name) || gives(f.Name)
	case *ast.ArrayType, *ast.MapType: // a conversion
		return true
	case *ast.SelectorExpr:
		if handle, ok := f.X.(*ast.CallExpr); ok {
			made, ok := handle.Fun.(*ast.SelectorExpr)
			return ok && made.Sel.Name == MustMethod && gives(MustMethod+"."+f.Sel.Name)
		}
		of, ok := f.X.(*ast.Ident)
		return ok && (slices.Contains(strings.Fields("math bits cmplx strings strconv unicode utf8 path"), of.Name) ||
			of.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Sprint"))
	}
	return false
}

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

// edit puts text into the place of a part of a line; line and bytes count from 0.
type edit struct {
	line, from, to int
	text           string
}

// edited is a cell with edits that do not overlap. Of those at the same place the first one comes first.
func edited(code string, list []edit) string {
	lines := strings.Split(code, "\n")
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Or(a.line-b.line, a.from-b.from) })
	for _, e := range slices.Backward(list) { // from the end, so that what is before it stays where it is
		lines[e.line] = lines[e.line][:e.from] + e.text + lines[e.line][e.to:]
	}
	return strings.Join(lines, "\n")
}

// Timing is what a %timeit line asks for.
type Timing struct {
	Loops, Repeats int    // 0: left to [fsnetlab/widgets.Timeit]
	Statement      string // that is timed; "": the body of the cell
	Line           int    // of the statement, from 0
}

const (
	mostLoops   = 1_000_000_000
	mostRepeats = 10_000
)

// ReadTiming reads a %timeit line.
func ReadTiming(line LineMagic) (t Timing, err error) {
	t = Timing{Line: line.Line}
	_, rest := firstWord(line.Text)
	for {
		option, value, most := &t.Loops, "", mostLoops
		switch {
		case strings.HasPrefix(rest, "-n"):
		case strings.HasPrefix(rest, "-r"):
			option, most = &t.Repeats, mostRepeats
		default:
			t.Statement = rest
			return t, t.check()
		}
		value, rest = firstWord(strings.TrimSpace(rest[2:]))
		if *option, err = strconv.Atoi(value); err != nil || *option < 1 || *option > most {
			return t, errs.New(errs.Request, "write %timeit -n 1000 -r 7 STATEMENT", "%%timeit: %q is not a number from 1 to %d", value, most)
		}
	}
}

// check refuses what is no statement.
func (t Timing) check() error {
	if t.Statement == "" {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+t.Statement+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return errs.New(errs.Request, "write a statement or an expression after it, or put it alone above a body",
			"%%timeit: %.100q is not a Go statement", t.Statement)
	}
	return nil
}

// Loop makes a program that times the statement, or the body of a cell. Every line stays on its line. gives is as [ShowLast] has it.
func (t Timing) Loop(code string, gives func(function string) bool) (string, error) {
	head := fmt.Sprintf("widgets.Timeit(%d, %d, func(n int) { for range n { ", t.Loops, t.Repeats)
	const tail = "\n}})}"
	if t.Statement != "" {
		statement := t.Statement
		if x, err := parser.ParseExpr(statement); err == nil {
			before, behind := kept(x, gives)
			statement = before + statement[int(x.Pos())-1:int(x.End())-1] + behind
		}
		return strings.Repeat("\n", t.Line) + OpenMain + " " + head + statement + tail, nil
	}
	if x, err := parser.ParseExpr(code); err == nil && !hasCommands(code) {
		from, to := int(x.Pos())-1, int(x.End())-1
		before, behind := kept(x, gives)
		return code[:from] + OpenMain + " " + head + before + code[from:to] + behind + tail + "\n" + code[to:], nil
	}
	return loopBody(code, head, gives)
}

// kept is what stands around an expression so that the compiler does not leave out a value that nobody looks at.
func kept(x ast.Expr, gives func(function string) bool) (before, behind string) {
	if isValue(x, gives) {
		return "runtime.KeepAlive(", ")"
	}
	return "", ""
}

// loopBody times the body of a cell.
func loopBody(code, head string, gives func(function string) bool) (string, error) {
	in, is := Compose(code), kinds(strings.Split(code, "\n"))
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", in.Text, parser.SkipObjectResolution)
	if err != nil {
		return code, nil //nolint:nilerr // the compiler says it better
	}
	body := bodyOf(file)
	put := func(at token.Pos, text string) edit {
		p := files.Position(at)
		return edit{in.Lines[p.Line-1], p.Column - 1, p.Column - 1, text}
	}
	for len(body) > 0 && is[put(body[0].Pos(), "").line] != goCode { // what GoNB puts there
		body = body[1:]
	}
	if len(body) == 0 {
		return "", errs.New(errs.Request, "write it above %% and a body, or put a statement after it", "%%timeit: there is no body to time")
	}
	first, last := body[0], body[len(body)-1]
	edits := []edit{put(first.Pos(), head+"func() { ")} // so that return ends one turn
	if x, ok := last.(*ast.ExprStmt); ok {
		before, behind := kept(x.X, gives)
		edits = append(edits, put(x.Pos(), before), put(x.End(), behind))
	}
	return edited(code, append(edits, put(last.End(), " }() }})"))), nil
}
