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

// MustMethod is the method of a session whose result has verbs that return one
// value.
const MustMethod = "Must"

// ShowPackage is a second name under which cells import package widgets. Code
// that this package writes into cells uses it, so that you can call something of
// yours widgets.
const ShowPackage = "fsnetwidgets"

// showCall and guessCall are written before an expression to show its value.
// guessCall is for calls that may not return exactly one value. It doesn't show a
// nil error. If it doesn't compile, the cell is sent again as it was written.
const (
	showCall  = ShowPackage + ".Show("
	guessCall = "func(v any) { if v != nil { " + ShowPackage + ".Show(v) } }("
)

// Result describes the results of a call.
type Result int

// Possible results of a call.
const (
	Unknown Result = iota
	Nothing        // no value, several values, or a value that should not be shown
	Value          // one value
)

// ShowLast returns a cell that also shows the value of its last expression.
// That is the last statement of its body, or the expression that is the whole
// cell. No line moves, and main is opened as by [WithBody]. results describes
// functions by name, methods as ".Method" and verbs of a session as
// "Must.Verb". For "name." it returns Value if the user declared name, so that it
// is no package. shown is Nothing if there is nothing to show, and Unknown if the
// result may not compile.
//
// An expression that isn't a call wouldn't compile as a statement, so it is
// always shown. A semicolon after the expression hides its value.
func ShowLast(code string, results func(function string) Result) (shows string, shown Result) {
	if isScript(code) {
		return code, Nothing
	}

	if shows, shown = showExpression(code, results); shown != Nothing && !hasCommands(code) {
		return shows, shown
	}

	opened := WithBody(code)
	lines := strings.Split(opened, "\n")
	if opened == code && !hasCommands(code) {
		return code, Nothing // declarations, or a main that the user has written
	}

	code = opened
	in := Compose(code)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", in.Text, parser.SkipObjectResolution)
	if err != nil {
		return code, Nothing
	}

	body := bodyOf(file)
	if len(body) == 0 {
		return code, Nothing
	}

	last, ok := body[len(body)-1].(*ast.ExprStmt)
	if !ok {
		return code, Nothing
	}

	from, to := files.Position(last.Pos()), files.Position(last.End())
	begin, end := in.Lines[from.Line-1], in.Lines[to.Line-1]
	if is := kinds(lines); begin < 0 || end < 0 || is[begin] != goCode || is[end] != goCode {
		return code, Nothing // %exec
	}

	if strings.HasPrefix(strings.TrimSpace(lines[end][to.Column-1:]), ";") {
		return code, Nothing
	}

	if shown = resultOf(last.X, results); shown == Nothing {
		return code, Nothing
	}
	return applyEdits(code, []edit{{begin, from.Column - 1, from.Column - 1, showOpening(shown)}, {end, to.Column - 1, to.Column - 1, ")"}}), shown
}

// showOpening returns the start of the call that shows a value.
func showOpening(shown Result) string {
	if shown == Unknown {
		return guessCall
	}
	return showCall
}

// hasCommands reports whether a cell has lines that aren't Go code.
func hasCommands(code string) bool {
	return slices.ContainsFunc(kinds(strings.Split(code, "\n")), func(k kind) bool { return k != goCode })
}

// showExpression is ShowLast for a cell that is one expression.
func showExpression(code string, results func(string) Result) (shows string, shown Result) {
	whole, err := parser.ParseExpr(code)
	if err != nil {
		return code, Nothing
	}

	if shown = resultOf(whole, results); shown == Nothing {
		return code, Nothing
	}

	from, to := int(whole.Pos())-1, int(whole.End())-1
	return code[:from] + OpenMain + " " + showOpening(shown) + code[from:to] + ") }" + code[to:], shown
}

// bodyOf returns the statements of main. It returns nil if there is no main.
func bodyOf(file *ast.File) []ast.Stmt {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "main" && f.Body != nil {
			return f.Body.List
		}
	}
	return nil
}

// resultOf describes the value of an expression. It returns Nothing if the
// expression can't be shown, as for a type.
func resultOf(x ast.Expr, results func(string) Result) Result {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return resultOf(x.X, results)
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return Nothing // the user may receive only to wait
		}
	case *ast.BadExpr, *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.ChanType, *ast.FuncLit:
		return Nothing
	case *ast.CallExpr:
		return callResult(x.Fun, results)
	}
	return Value
}

// callResult describes the results of a call of function.
func callResult(function ast.Expr, results func(string) Result) Result {
	switch f := function.(type) {
	case *ast.Ident:
		switch {
		case isWord(f.Name, `append cap complex imag len make max min new real bool byte complex64 complex128 float32 float64
			int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any`):
			return Value
		case isWord(f.Name, "clear close copy delete panic print println"):
			return Nothing
		}
		return results(f.Name)
	case *ast.ArrayType, *ast.MapType: // a conversion
		return Value
	case *ast.FuncLit:
		if f.Type.Results.NumFields() != 1 {
			return Nothing
		}
	case *ast.SelectorExpr:
		if handle, ok := f.X.(*ast.CallExpr); ok {
			if method, ok := handle.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == MustMethod {
				return results(MustMethod + "." + f.Sel.Name)
			}
		} else if of, ok := f.X.(*ast.Ident); ok && results(of.Name+".") != Value {
			if known := packageResult(of.Name, f.Sel.Name); known != Unknown {
				return known
			}
		}
		return results("." + f.Sel.Name)
	}
	return Unknown
}

// packageResult describes the results of library functions that cells often end
// with.
func packageResult(name, function string) Result {
	switch name {
	case "math", "bits", "cmplx", "strings", "strconv", "unicode", "utf8", "path":
		return Value
	case "fmt":
		if strings.HasPrefix(function, "Sprint") {
			return Value
		}
		return Nothing
	case "widgets":
		if isWord(function, "HTML Markdown SVG PNG VegaLite Ask AskSecretly") {
			return Value
		}
		return Nothing
	case "log", "slog", "session":
		return Nothing
	}
	if isWord(name+"."+function, `sort.Ints sort.Strings sort.Float64s sort.Sort sort.Stable sort.Slice sort.SliceStable slices.Sort
		slices.SortFunc slices.SortStableFunc slices.Reverse maps.Copy time.Sleep os.Exit runtime.GC rand.Shuffle`) {
		return Nothing
	}
	return Unknown
}

func isWord(word, list string) bool { return slices.Contains(strings.Fields(list), word) }

// Wrap returns a cell as Go code. It puts statements without a %% line into a
// function, so that gopls understands them while they are being typed. If they
// start on the first line, Wrap returns the function's header as opening, to
// precede text.
func Wrap(code string) (opening, text string) {
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

// WithBody opens main before the first statement of a cell without a %% line,
// and closes it on an additional line. No line moves. It returns the cell
// unchanged if there is no statement, or if a stray closing bracket or the word
// fsnet is in its place.
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

// strayStatement returns the line, counted from 0, of a statement where the
// parser expected a declaration. It returns −1 if err reports no such
// statement.
func strayStatement(err error) int {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 && strings.HasPrefix(list[0].Msg, "expected declaration") {
		return list[0].Pos.Line - 1
	}
	return -1
}

// standardPackages lists packages that goimports imports for a cell. If two
// packages have the same name, it lists the one that goimports prefers.
func standardPackages() []string {
	return strings.Fields(`bufio bytes cmp compress/gzip container/heap context crypto/sha256 encoding/binary encoding/csv encoding/hex
		encoding/json errors flag fmt image image/color image/png io io/fs iter log log/slog maps math math/big math/bits math/cmplx
		math/rand net/http net/url os os/exec path path/filepath reflect regexp runtime runtime/debug slices sort strconv strings sync
		sync/atomic text/tabwriter text/template time unicode unicode/utf8`)
}

// selector matches what could be the name of a package.
var selector = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.`)

// UsualImports lists packages that are always imported for gopls, because gopls
// takes a fifth of a second to load a new import.
func UsualImports() []string {
	return []string{"bytes", "context", "errors", "fmt", "math", "os", "slices", "sort", "strconv", "strings", "sync", "time"}
}

// StandardImports returns import lines for UsualImports and for other standard
// packages whose name precedes a dot in the text. It omits names for which
// isKnown returns true. It returns "" if there is nothing to import.
func StandardImports(text string, isKnown func(name string) bool) string {
	used := UsualImports()
	for _, found := range selector.FindAllStringSubmatch(text, -1) {
		used = append(used, found[1])
	}

	imports := ""
	for _, p := range standardPackages() {
		if name := path.Base(p); slices.Contains(used, name) && !isKnown(name) {
			imports += "import \"" + p + "\"\n"
		}
	}
	return imports
}

// edit replaces a part of a line. line and the bytes from and to count from 0.
type edit struct {
	line, from, to int
	text           string
}

// applyEdits applies edits that don't overlap. Edits at the same place keep
// their order.
func applyEdits(code string, list []edit) string {
	lines := strings.Split(code, "\n")
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Or(a.line-b.line, a.from-b.from) })
	for _, e := range slices.Backward(list) { // from the end, so that earlier offsets stay valid
		lines[e.line] = lines[e.line][:e.from] + e.text + lines[e.line][e.to:]
	}
	return strings.Join(lines, "\n")
}

// Timing holds the arguments of a %timeit line.
type Timing struct {
	Loops, Repeats int    // 0 leaves the choice to [fsnetlab/widgets.Timeit]
	Statement      string // "" means the body of the cell
	Line           int    // line of the statement, counted from 0
}

const (
	maxLoops   = 1_000_000_000
	maxRepeats = 10_000
)

// ReadTiming parses a %timeit line. The error is of kind Request.
func ReadTiming(line LineMagic) (t Timing, err error) {
	t = Timing{Line: line.Line}
	_, rest := firstWord(line.Text)
	for {
		option, value, most := &t.Loops, "", maxLoops
		switch {
		case strings.HasPrefix(rest, "-n"):
		case strings.HasPrefix(rest, "-r"):
			option, most = &t.Repeats, maxRepeats
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

// check rejects a text that isn't exactly one statement. An empty text is
// accepted.
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

// Loop returns a program that times the statement, or the body of a cell. No
// line moves. results is the same as for [ShowLast].
func (t Timing) Loop(code string, results func(function string) Result) (string, error) {
	head := fmt.Sprintf(ShowPackage+".Timeit(%d, %d, func(n int) { for range n { ", t.Loops, t.Repeats)
	const tail = "\n}})}"

	if t.Statement != "" {
		statement := t.Statement
		if x, err := parser.ParseExpr(statement); err == nil {
			before, behind := keepAlive(x, results)
			statement = before + statement[int(x.Pos())-1:int(x.End())-1] + behind
		}
		return strings.Repeat("\n", t.Line) + OpenMain + " " + head + statement + tail, nil
	}

	if x, err := parser.ParseExpr(code); err == nil && !hasCommands(code) {
		from, to := int(x.Pos())-1, int(x.End())-1
		before, behind := keepAlive(x, results)
		return code[:from] + OpenMain + " " + head + before + code[from:to] + behind + tail + "\n" + code[to:], nil
	}
	return loopBody(code, head, results)
}

// keepAlive returns the text to put before and after an expression, so that it
// compiles as a statement and isn't optimised away. Both are "" unless the
// expression is known to have exactly one value.
func keepAlive(x ast.Expr, results func(function string) Result) (before, behind string) {
	if resultOf(x, results) == Value {
		return "runtime.KeepAlive(", ")"
	}
	return "", ""
}

// loopBody returns a program that times the body of a cell. If there is no
// body, it fails. It leaves code that doesn't parse to the compiler.
func loopBody(code, head string, results func(function string) Result) (string, error) {
	code = WithBody(code)

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

	for len(body) > 0 && is[put(body[0].Pos(), "").line] != goCode { // added by GoNB
		body = body[1:]
	}

	if len(body) == 0 {
		return "", errs.New(errs.Request, "write it above %% and a body, or put a statement after it", "%%timeit: there is no body to time")
	}

	first, last := body[0], body[len(body)-1]
	edits := []edit{put(first.Pos(), head+"func() { ")} // a function, so that return ends one loop
	if x, ok := last.(*ast.ExprStmt); ok {
		before, behind := keepAlive(x.X, results)
		edits = append(edits, put(x.Pos(), before), put(x.End(), behind))
	}
	return applyEdits(code, append(edits, put(last.End(), " }() }})"))), nil
}
