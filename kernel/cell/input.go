package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// stdinCall is what a cell reads from in place of standard input, which is empty there.
const stdinCall = "widgets.Stdin()"

// ReadNotebook is a cell in which fmt.Scan, Scanln and Scanf, and os.Stdin as it is given to a package that reads, ask the user of the
// notebook. Every line stays on its line.
func ReadNotebook(code string) string {
	if isScript(code) || !strings.Contains(code, "fmt.Scan") && !strings.Contains(code, "os.Stdin") {
		return code
	}
	in, files := Compose(code), token.NewFileSet()
	file, err := parser.ParseFile(files, "", in.Text, parser.SkipObjectResolution)
	if err != nil {
		return code
	}
	var edits []edit
	replace := func(from, to token.Pos, text string) {
		a, b := files.Position(from), files.Position(to)
		if line := in.Lines[a.Line-1]; line >= 0 && a.Line == b.Line {
			edits = append(edits, edit{line, a.Column - 1, b.Column - 1, text})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, name := selection(call.Fun)
		if of == "fmt" && slices.Contains([]string{"Scan", "Scanln", "Scanf"}, name) {
			replace(call.Pos(), call.Lparen+1, "fmt.F"+strings.ToLower(name[:1])+name[1:]+"("+stdinCall+", ")
		}
		for _, argument := range call.Args {
			if p, v := selection(argument); p+"."+v == "os.Stdin" && slices.Contains(strings.Fields("bufio csv fmt gob io json xml"), of) {
				replace(argument.Pos(), argument.End(), stdinCall)
			}
		}
		return true
	})
	return edited(code, edits)
}

// selection gives the two names of a.B.
func selection(x ast.Expr) (of, name string) {
	s, ok := x.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if id, ok := s.X.(*ast.Ident); ok {
		return id.Name, s.Sel.Name
	}
	return "", ""
}
