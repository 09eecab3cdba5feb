package gonb

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/cell"
)

// sent is what GoNB gets of the cell.
func (c *Cell) sent() string { return cmp.Or(c.rewritten, c.Code) }

// rewrite opens main where statements stand in a cell without a %% line, and lets the cell show the value of its last expression, or times
// its body, where the package for that is imported under its own name.
func (c *Child) rewrite(of *Cell) error {
	if of.Timing == nil {
		of.rewritten = cell.WithBody(of.Code)
	}
	c.remembering.Lock()
	remembered := c.memory.list()
	c.remembering.Unlock()
	const name = "widgets"
	own, set := declarations(cell.Compose(of.Code).Text)
	all := append(own, remembered...)
	named := func(isImport bool) func(declaration) bool {
		return func(d declaration) bool {
			return (d.kind == token.IMPORT) == isImport && slices.Contains(d.names, name)
		}
	}
	if !slices.ContainsFunc(remembered, named(true)) || slices.ContainsFunc(all, named(false)) || slices.Contains(set, name) {
		if of.Timing != nil {
			return fault.New(fault.Unavailable, "rename yours, and remove the old one with %rm "+name,
				"%%timeit needs the package widgets, but here that name means something else")
		}
		return nil
	}
	gives := func(function string) bool {
		if verb, ok := strings.CutPrefix(function, cell.MustMethod+"."); ok {
			method, found := reflect.TypeFor[session.Must]().MethodByName(verb)
			if !found || method.Type.NumOut() != 1 || method.Type.Out(0) == reflect.TypeFor[session.Session]() {
				return false
			}
			// The kernel shows the status below the verbs that change it already.
			return verb == "Status" || method.Type.Out(0) != reflect.TypeFor[session.Status]()
		}
		at := slices.IndexFunc(all, func(d declaration) bool { return d.kind == token.FUNC && slices.Contains(d.names, function) })
		return at >= 0 && givesOne(all[at].text)
	}
	code, err := of.sent(), error(nil)
	switch {
	case of.Timing != nil:
		code, err = of.Timing.Loop(code, gives)
	case of.ShowLast:
		code, _ = cell.ShowLast(of.Code, gives)
	}
	of.rewritten = code
	return err
}

// givesOne reports whether a function is declared to give one value, other than an error, which is looked at rather than shown.
func givesOne(text string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return false
	}
	f, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok || f.Recv != nil || f.Type.Results == nil || f.Type.Results.NumFields() != 1 {
		return false
	}
	result, named := f.Type.Results.List[0].Type.(*ast.Ident)
	return !named || result.Name != "error"
}
