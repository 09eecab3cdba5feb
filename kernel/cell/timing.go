package cell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/fault"
)

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
func ReadTiming(line Own) (t Timing, err error) {
	t = Timing{Line: line.Line}
	rest := strings.TrimSpace(strings.TrimPrefix(line.Text, line.Words[0]))
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
			return t, fault.New(fault.Request, "write %timeit -n 1000 -r 7 STATEMENT", "%%timeit: %q is not a number from 1 to %d", value, most)
		}
	}
}

// check reports whether what is timed are statements.
func (t Timing) check() error {
	if t.Statement == "" {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+t.Statement+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return fault.New(fault.Request, "write a statement or an expression behind it, or alone above a body",
			"%%timeit: %.100q is no statement of Go", t.Statement)
	}
	return nil
}

// Loop makes a program that times the statement, or the body of a cell. Every line stays on its line. gives is as [ShowLast] has it.
func (t Timing) Loop(code string, gives func(function string) bool) (string, error) {
	head := fmt.Sprintf("widgets.Timeit(%d, %d, func(n int) { for range n { ", t.Loops, t.Repeats)
	const tail = "\n}})}"
	keep := func(expression string, x ast.Expr) string {
		if isValue(x, gives) {
			return "runtime.KeepAlive(" + expression + ")" // or the compiler would leave out what nobody looks at
		}
		return expression
	}
	if t.Statement != "" {
		statement := t.Statement
		if x, err := parser.ParseExpr(statement); err == nil {
			from, to := int(x.Pos())-1, int(x.End())-1
			statement = keep(statement[from:to], x)
		}
		return strings.Repeat("\n", t.Line) + OpenMain + " " + head + statement + tail, nil
	}
	if x, err := parser.ParseExpr(code); err == nil {
		from, to := int(x.Pos())-1, int(x.End())-1
		return code[:from] + OpenMain + " " + head + keep(code[from:to], x) + tail + "\n" + code[to:], nil
	}
	return t.loopBody(code, head, keep)
}

func (t Timing) loopBody(code, head string, keep func(string, ast.Expr) string) (string, error) {
	in, is := Compose(code), kinds(strings.Split(code, "\n"))
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", in.Text, parser.SkipObjectResolution)
	if err != nil {
		return code, nil //nolint:nilerr // the compiler says it better
	}
	body := bodyOf(file)
	place := func(at token.Pos, text string) insertion {
		p := files.Position(at)
		return insertion{in.Lines[p.Line-1], p.Column - 1, text}
	}
	for len(body) > 0 && is[place(body[0].Pos(), "").line] != goCode { // what GoNB puts there
		body = body[1:]
	}
	if len(body) == 0 {
		return "", fault.New(fault.Request, "write it above %% and a body, or a statement behind it", "%%timeit: there is no body to time")
	}
	first, last := body[0], body[len(body)-1]
	put := []insertion{place(first.Pos(), head+"func() { ")} // so that return ends one turn
	if x, ok := last.(*ast.ExprStmt); ok {
		before, behind, _ := strings.Cut(keep("\x00", x.X), "\x00")
		put = append(put, place(x.Pos(), before), place(x.End(), behind))
	}
	return inserted(code, append(put, place(last.End(), " }() }})"))), nil
}

// insertion puts text into a line, from 0, at a byte of it.
type insertion struct {
	line, at int
	text     string
}

// inserted is a text with insertions, which are in its order.
func inserted(code string, list []insertion) string {
	lines := strings.Split(code, "\n")
	for _, i := range slices.Backward(list) {
		lines[i.line] = lines[i.line][:i.at] + i.text + lines[i.line][i.at:]
	}
	return strings.Join(lines, "\n")
}
