package gonb

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"fsnetlab/kernel/cell"
)

// cellNews is what a cell declares and what its body sets.
type cellNews struct {
	declarations []*declaration
	main         *declaration // its body, or nil
	body         []string
}

// readCell reads what can be read of a cell, also of one that is being written.
func readCell(count int, code string) cellNews { return readCellAs(count, code, code) }

// readCellAs is readCell of what GoNB got of a cell that people know as another text, of the same lines.
func readCellAs(count int, code, known string) cellNews {
	in := cell.Compose(code)
	fileSet := token.NewFileSet()
	file, _ := parser.ParseFile(fileSet, "", in.Text, parser.SkipObjectResolution|parser.ParseComments)
	if file == nil {
		return cellNews{}
	}
	r := reader{text: in.Text, files: fileSet, from: &source{count, strings.Split(known, "\n"), in.Lines}}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			r.general(d)
		case *ast.FuncDecl:
			r.function(d)
		}
	}
	return r.cellNews
}

// reader makes declarations of a cell's syntax.
type reader struct {
	cellNews
	text  string
	files *token.FileSet
	from  *source
	blank int // _ so far
}

// add makes a declaration of the names that nodes declare; its text begins at the first of them.
func (r *reader) add(kind token.Token, text string, names []string, at ...ast.Node) {
	d := &declaration{kind: kind, text: text, from: r.from, lines: map[string]int{}}
	for i, name := range names {
		if name == "_" && kind != token.IMPORT { // each stays
			r.blank++
			name = "_~" + strconv.Itoa(r.from.count) + "." + strconv.Itoa(r.blank)
		}
		key := keyOf(kind, name)
		d.keys = append(d.keys, key)
		d.lines[key] = r.files.Position(at[min(i, len(at)-1)].Pos()).Line - 1
	}
	r.declarations = append(r.declarations, d)
}

func keyOf(kind token.Token, name string) string { return kind.String() + " " + name }

// of is the text of a part, "" for none.
func (r *reader) of(n ast.Node) string {
	from, to := r.files.Position(n.Pos()).Offset, r.files.Position(n.End()).Offset
	if from < 0 || to > len(r.text) || from > to {
		return ""
	}
	return r.text[from:to]
}

func (r *reader) general(d *ast.GenDecl) {
	if d.Tok == token.CONST { // iota counts through the block
		var names []string
		var at []ast.Node
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					names, at = append(names, name.Name), append(at, name)
				}
			}
		}
		if len(names) > 0 {
			r.add(token.CONST, doc(r, d.Doc)+r.of(d), names, at...)
		}
		return
	}
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.ImportSpec:
			r.add(token.IMPORT, "import "+r.of(s), []string{importName(s)}, s)
		case *ast.TypeSpec:
			r.add(token.TYPE, doc(r, d.Doc)+"type "+r.of(s), []string{s.Name.Name}, s)
		case *ast.ValueSpec:
			comment := s.Doc
			if !d.Lparen.IsValid() {
				comment = d.Doc
			}
			r.variables(s, doc(r, comment))
		}
	}
}

func doc(r *reader, comment *ast.CommentGroup) string {
	if comment == nil {
		return ""
	}
	return r.of(comment) + "\n"
}

// variables are apart where each has its own value, and together where one call gives all.
func (r *reader) variables(s *ast.ValueSpec, comment string) {
	if len(s.Values) == 1 && len(s.Names) > 1 {
		var names []string
		for _, name := range s.Names {
			names = append(names, name.Name)
		}
		r.add(token.VAR, comment+"var "+r.of(s), names, s)
		return
	}
	for i, name := range s.Names {
		text := comment + "var " + name.Name
		if s.Type != nil {
			text += " " + r.of(s.Type)
		}
		if i < len(s.Values) {
			text += " = " + r.of(s.Values[i])
		}
		r.add(token.VAR, text, []string{name.Name}, s)
	}
}

func (r *reader) function(f *ast.FuncDecl) {
	if f.Recv == nil && f.Name.Name == "main" {
		r.main = &declaration{keys: []string{""}, kind: token.FUNC, from: r.from, lines: map[string]int{"": r.files.Position(f.Pos()).Line - 1}}
		if f.Body != nil {
			r.body = append(r.body, setIn(f.Body)...)
		}
		return
	}
	r.add(token.FUNC, doc(r, f.Doc)+r.of(f), []string{functionName(f)}, f)
}

// functionName tells methods of different types apart: they belong to S, whatever the receiver *S[T] calls its parameter.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	receiver := "unknown"
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if ok && receiver == "unknown" {
			receiver = name.Name
		}
		return true
	})
	return receiver + "~" + f.Name.Name
}

// setIn are the names that the statements of a body declare.
func setIn(body *ast.BlockStmt) []string {
	var names []string
	for _, statement := range body.List {
		switch s := statement.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, left := range s.Lhs {
					if id, ok := left.(*ast.Ident); ok && id.Name != "_" {
						names = append(names, id.Name)
					}
				}
			}
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok {
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							names = append(names, name.Name)
						}
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	return names
}

// lastWord is by what GoNB knows an import that has no name of its own.
var lastWord = regexp.MustCompile(`\w+\s*$`)

func importName(s *ast.ImportSpec) string {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		path = s.Path.Value
	}
	switch {
	case s.Name == nil:
		if word := strings.TrimSpace(lastWord.FindString(path)); word != "" {
			return word
		}
		return path
	case s.Name.Name == ".":
		return ".~" + path // several can be remembered
	}
	return s.Name.Name
}
