package cell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
func ReadTiming(line LineMagic) (t Timing, err error) {
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

// check refuses what is no statement.
func (t Timing) check() error {
	if t.Statement == "" {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+t.Statement+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return fault.New(fault.Request, "write a statement or an expression after it, or put it alone above a body",
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
	if x, err := parser.ParseExpr(code); err == nil {
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
		return "", fault.New(fault.Request, "write it above %% and a body, or put a statement after it", "%%timeit: there is no body to time")
	}
	first, last := body[0], body[len(body)-1]
	edits := []edit{put(first.Pos(), head+"func() { ")} // so that return ends one turn
	if x, ok := last.(*ast.ExprStmt); ok {
		before, behind := kept(x.X, gives)
		edits = append(edits, put(x.Pos(), before), put(x.End(), behind))
	}
	return edited(code, append(edits, put(last.End(), " }() }})"))), nil
}
