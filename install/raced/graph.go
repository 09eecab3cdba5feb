package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// graph is the functions, types and variables of a module by package and name.
type graph map[string]*declaration

type declaration struct {
	starts   bool            // it starts a goroutine, or leads to one that does
	shortens bool            // it asks for testing.Short, or leads to what does
	by       []string        // the tests that race what it starts or leads to, where it says so; otherwise all tests that lead to it do
	mentions map[string]bool // declarations, some of which may be of other modules
}

func (g graph) at(name string) *declaration {
	if g[name] == nil {
		g[name] = &declaration{mentions: map[string]bool{}}
	}
	return g[name]
}

// spread makes starting what mentions something that starts - but what names its tests -, and shortening what mentions something that
// shortens, until nothing more does.
func (g graph) spread() {
	for grown := true; grown; {
		grown = false
		for _, d := range g {
			for name := range d.mentions {
				of := g[name]
				if of == nil {
					continue
				}
				starts, shortens := d.starts || of.starts && d.by == nil, d.shortens || of.shortens
				grown = grown || starts != d.starts || shortens != d.shortens
				d.starts, d.shortens = starts, shortens
			}
		}
	}
}

// leads is true where a declaration mentions another, or one that leads to it.
func (g graph) leads(from, to string) bool {
	seen := map[string]bool{}
	var look func(name string) bool
	look = func(name string) bool {
		if name == to {
			return true
		}
		if seen[name] || g[name] == nil {
			return false
		}
		seen[name] = true
		for next := range g[name].mentions {
			if look(next) {
				return true
			}
		}
		return false
	}
	return look(from)
}

// racedBy are the tests in a comment that names them, on as many lines as it takes, or nil.
func racedBy(comment *ast.CommentGroup) []string {
	if comment == nil {
		return nil
	}
	var tests []string
	for _, line := range comment.List {
		if names, ok := strings.CutPrefix(line.Text, "//raced:by "); ok {
			tests = append(tests, strings.Fields(names)...)
		}
	}
	return tests
}

var testName = regexp.MustCompile(`^(Test|Example|Fuzz)([^a-z]|$)`)

// read adds the declarations of a package, and gives the names of its tests.
func (g graph) read(p goPackage, exports map[string]string) ([]string, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{FakeImportC: true, Importer: importsOf(p, fset, exports)}
	if _, err := conf.Check(p.path(), fset, files, info); err != nil {
		return nil, err
	}
	describe := func(defined *ast.Ident, node ast.Node) string {
		name := nameOf(info.Defs[defined])
		if d := g.describe(name, node, info); name != "" {
			d.mentions[p.path()+".init"], d.mentions[p.path()+".TestMain"] = true, true // which run before it
		}
		return name
	}
	var tests []string
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := describe(d.Name, d)
				if by := racedBy(d.Doc); by != nil {
					g[name].starts, g[name].by = false, by
				}
				if receiver := receiverOf(info.Defs[d.Name]); receiver != "" {
					g.at(receiver).mentions[name] = true // who has a value of the type may call it, by an interface too
				} else if testName.MatchString(d.Name.Name) && d.Name.Name != "TestMain" {
					tests = append(tests, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						describe(spec.Name, spec)
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							describe(name, spec)
						}
					}
				}
			}
		}
	}
	return tests, nil
}

// describe adds what a piece of code mentions, and whether it starts a goroutine: by saying go, or by calling what does for it.
func (g graph) describe(name string, node ast.Node, info *types.Info) *declaration {
	d := g.at(name)
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			d.starts = true
		case *ast.Ident:
			used := nameOf(info.Uses[n])
			d.starts = d.starts || runsBeside(used)
			d.shortens = d.shortens || used == "testing.Short"
			if used != "" && used != name {
				d.mentions[used] = true
			}
		}
		return true
	})
	return d
}

// runsBeside is true for what starts goroutines elsewhere that run what they are given.
func runsBeside(name string) bool {
	switch name {
	case "sync.WaitGroup.Go", "golang.org/x/sync/errgroup.Group.Go", "time.AfterFunc", "context.AfterFunc", "os/exec.Cmd.Start",
		"os/exec.Cmd.Run", "net/http.Server.Serve", "net/http.Serve", "net/http/httptest.NewServer", "testing.T.Parallel",
		"testing.B.RunParallel":
		return true
	}
	return false
}

// nameOf is the package and name of a function, a method, a type or a variable that is not inside a function; "" for all else.
func nameOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Pkg() == nil {
			return ""
		}
		if receiver := receiverOf(o); receiver != "" {
			return receiver + "." + o.Name()
		}
	case *types.TypeName, *types.Var:
		if o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
			return ""
		}
	default:
		return ""
	}
	return o.Pkg().Path() + "." + o.Name()
}

// receiverOf is the type of a method, or "".
func receiverOf(o types.Object) string {
	signature, ok := o.Type().(*types.Signature)
	if !ok || signature.Recv() == nil {
		return ""
	}
	of := signature.Recv().Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := of.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path() + "." + named.Obj().Name()
	}
	return ""
}
