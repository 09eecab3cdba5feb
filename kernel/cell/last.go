package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
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
	if shown, ok = showWhole(code, gives); ok {
		return shown, true
	}
	opened := WithBody(code)
	lines := strings.Split(opened, "\n")
	if opened == code && !slices.ContainsFunc(kinds(lines), func(k kind) bool { return k != goCode }) {
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
