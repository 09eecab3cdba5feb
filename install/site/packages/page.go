package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"strings"
)

// writer makes one page.
type writer struct {
	*module
	*goPackage
	name string // of the package below the module
	bytes.Buffer
	err error // the first one of printing Go
}

// page is that of one package.
func (m *module) page(name string) (string, error) {
	w := &writer{module: m, goPackage: m.packages[m.path+"/"+name], name: name}
	fmt.Fprintf(w, "# %s\n\n```go\nimport \"%s\"\n```\n\n%s", name, w.ImportPath, w.text(w.Doc, 2))
	w.examples(w.Examples)
	w.index()
	w.values("Constants", w.Consts)
	w.values("Variables", w.Vars)
	w.section("Functions", len(w.Funcs))
	w.functions(w.Funcs, "", 3)
	w.section("Types", len(w.Types))
	for _, t := range w.Types {
		w.declaration("type "+t.Name, t.Name, 3, t.Decl, t.Doc)
		w.values("", t.Consts)
		w.values("", t.Vars)
		w.examples(t.Examples)
		w.functions(t.Funcs, "", 4)
		w.functions(t.Methods, t.Name+".", 4)
	}
	return w.String(), w.err
}

func (w *writer) section(title string, entries int) {
	if title != "" && entries > 0 {
		fmt.Fprintf(w, "## %s\n\n", title)
	}
}

// index is a table of functions and types, each with its first sentence.
func (w *writer) index() {
	if len(w.Funcs)+len(w.Types) == 0 {
		return
	}
	w.WriteString("## Index\n\n| name | in a sentence |\n|---|---|\n")
	functions := func(list []*doc.Func) {
		for _, f := range list {
			fmt.Fprintf(w, "| [`%s`](#%s) | %s |\n", f.Name, f.Name, w.sentence(w.Package, f.Doc))
		}
	}
	functions(w.Funcs)
	for _, t := range w.Types {
		fmt.Fprintf(w, "| [`%s`](#%s) | %s", t.Name, t.Name, w.sentence(w.Package, t.Doc))
		for i, f := range t.Methods {
			separator := " ·"
			if i == 0 {
				separator = "<br>"
			}
			fmt.Fprintf(w, "%s [`%s`](#%s.%s)", separator, f.Name, t.Name, f.Name)
		}
		w.WriteString(" |\n")
		functions(t.Funcs)
	}
	w.WriteString("\n")
}

// values are groups of constants or variables, below a heading of their own where they have a title.
func (w *writer) values(title string, list []*doc.Value) {
	w.section(title, len(list))
	for _, v := range list {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				fmt.Fprintf(w, "<a id=%q></a>", name)
			}
		}
		w.WriteString("\n\n")
		w.code(v.Decl)
		w.WriteString(w.text(v.Doc, 5))
	}
}

func (w *writer) functions(list []*doc.Func, of string, level int) {
	for _, f := range list {
		title := "func " + f.Name
		if f.Recv != "" {
			title = "func (" + f.Recv + ") " + f.Name
		}
		w.declaration(title, of+f.Name, level, f.Decl, f.Doc)
		w.examples(f.Examples)
	}
}

// declaration is a heading, the code, and what its comment says.
func (w *writer) declaration(title, anchor string, level int, code ast.Node, words string) {
	fmt.Fprintf(w, "%s %s {: #%s }\n\n", strings.Repeat("#", level), markdown(title), anchor)
	w.code(code)
	w.WriteString(w.text(words, 5))
}

func (w *writer) code(declaration ast.Node) {
	w.WriteString("```go\n")
	if err := cmp.Or(format.Node(w, w.files, declaration), w.unexplained(declaration)); w.err == nil {
		w.err = err
	}
	w.WriteString("\n```\n\n")
}
