package fsnet_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public lists the packages that a Go program or a cell begins with.
func public() []string {
	return strings.Fields(`fsnet fsnet/config fsnet/dataset fsnet/train fsnet/session fsnet/results fsnet/study fsnet/baseline
		fsnet/baseline/comparators fsnet/metric fsnet/errs widgets widgets/report widgets/chart`)
}

// Every exported function and method of a public package is named in an example
// of that package. Two kinds of methods need none: those of a standard
// interface, and accessors, which have no parameters and only return something.
func TestExamples_OfEveryVerb(t *testing.T) {
	for _, pkg := range public() {
		paths, err := filepath.Glob(filepath.Join("..", pkg, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatal(pkg, err)
		}
		verbs, shown := map[string]string{}, map[string]bool{} // verbs: as it is written in Go → as it is looked for
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			check(t, err)
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				switch {
				case !ok:
				case !strings.HasSuffix(path, "_test.go"):
					if name, look := verb(f, filepath.Base(pkg)); name != "" {
						verbs[name] = look
					}
				case strings.HasPrefix(filepath.Base(path), "example") || strings.HasPrefix(f.Name.Name, "Example"):
					show(f, shown)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(verbs)) {
			if !shown[verbs[name]] {
				t.Errorf("%s: no example shows %s", pkg, name)
			}
		}
	}
}

// verb is the name of a function or method that an example must show, and how
// an example names it: pkg.Function, or .Method; "" of others.
func verb(f *ast.FuncDecl, pkg string) (name, look string) {
	if !f.Name.IsExported() {
		return "", ""
	}
	if f.Recv == nil {
		return f.Name.Name, pkg + "." + f.Name.Name
	}
	var of string
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && of == "" {
			of = id.Name
		}
		return true
	})
	standard := []string{"String", "Error", "Unwrap", "MarshalJSON", "UnmarshalJSON"}
	accessor := false
	if len(f.Body.List) == 1 && f.Type.Params.NumFields() == 0 {
		_, accessor = f.Body.List[0].(*ast.ReturnStmt)
	}
	if !ast.IsExported(of) || slices.Contains(standard, f.Name.Name) || accessor {
		return "", ""
	}
	return of + "." + f.Name.Name, "." + f.Name.Name
}

// show notes what a function of an example names.
func show(f *ast.FuncDecl, shown map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			shown["."+s.Sel.Name] = true
			if x, ok := s.X.(*ast.Ident); ok {
				shown[x.Name+"."+s.Sel.Name] = true
			}
		}
		return true
	})
}
