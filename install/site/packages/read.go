package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is the packages that have pages.
type module struct {
	path     string   // of the module
	names    []string // of the packages below it, in the order of the index
	packages map[string]*goPackage
}

// goPackage is the documentation of one.
type goPackage struct {
	*doc.Package
	files   *token.FileSet
	symbols map[string]bool              // what a link may lead to: Fit, Model, Model.Predict
	imports map[string]map[string]string // of each file, paths by the name there
}

// readAll reads the packages of these names of the module that lies in root.
func readAll(root string, names []string) (*module, error) {
	path, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	m := &module{path, names, map[string]*goPackage{}}
	for _, name := range names {
		p, err := read(filepath.Join(root, filepath.FromSlash(name)), path+"/"+name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		m.packages[path+"/"+name] = p
	}
	return m, nil
}

func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(path), nil
		}
	}
	return "", errors.New("go.mod names no module")
}

// read parses a package as this platform builds it, with the examples of its tests.
func read(dir, importPath string) (*goPackage, error) {
	built, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	p := &goPackage{files: token.NewFileSet(), symbols: map[string]bool{}, imports: map[string]map[string]string{}}
	var files []*ast.File
	for _, name := range slices.Concat(built.GoFiles, built.CgoFiles, built.TestGoFiles, built.XTestGoFiles) {
		file, err := parser.ParseFile(p.files, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		p.imports[p.files.File(file.Pos()).Name()] = importsOf(file)
	}
	if p.Package, err = doc.NewFromFiles(p.files, files, importPath); err != nil {
		return nil, err
	}
	if p.Doc == "" {
		return nil, errors.New("the package has no comment")
	}
	p.collect()
	return p, nil
}

// importsOf is what a file imports, by the name that it has there.
func importsOf(file *ast.File) map[string]string {
	found := map[string]string{}
	for _, spec := range file.Imports {
		to := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(to)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		found[name] = to
	}
	return found
}

// unexplained finds a type of this module that a declaration mentions and whose package has no page. Nobody imports internal packages.
func (w *writer) unexplained(declaration ast.Node) (err error) {
	imports := w.imports[w.files.File(declaration.Pos()).Name()]
	ast.Inspect(declaration, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := selector.X.(*ast.Ident)
		if !ok {
			return true
		}
		if to := imports[from.Name]; strings.HasPrefix(to, w.path+"/") && w.packages[to] == nil && !strings.Contains(to, "/internal/") {
			err = fmt.Errorf("%s.%s is mentioned, and %s has no page: add it to the navigation in install/site/mkdocs.yml", from.Name,
				selector.Sel.Name, to)
		}
		return err == nil
	})
	return err
}

// collect finds the names that have an anchor in the page.
func (p *goPackage) collect() {
	functions := func(list []*doc.Func, of string) {
		for _, f := range list {
			p.symbols[of+f.Name] = true
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, name := range v.Names {
				p.symbols[name] = true
			}
		}
	}
	functions(p.Funcs, "")
	values(p.Consts)
	values(p.Vars)
	for _, t := range p.Types {
		p.symbols[t.Name] = true
		functions(t.Funcs, "")
		functions(t.Methods, t.Name+".")
		values(t.Consts)
		values(t.Vars)
	}
}
