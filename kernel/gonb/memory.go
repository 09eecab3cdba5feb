package gonb

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/kernel/cell"
)

// goFile is a Go file of GoNB, with the cell and line that each of its lines
// came from.
type goFile struct {
	Text  string `json:"text"`
	Lines []line `json:"lines"`
}

// line is a line of a cell, counted from 0. Line is -1 for a line that GoNB has
// added.
type line struct {
	Cell int `json:"cell"`
	Line int `json:"line"`
}

// source is the text of a cell that has run.
type source struct {
	count int      // execution count
	cell  []string // lines
}

// memory holds what GoNB remembers, according to its last reply, and the cells
// that this refers to.
type memory struct {
	goFile
	cells map[int]*source
	lost  map[string]int // variables of bodies, with the count of the last cell that set them
}

func newMemory() memory { return memory{cells: map[int]*source{}, lost: map[string]int{}} }

// clone returns a copy that doesn't change while cells run.
func (m memory) clone() memory {
	m.cells, m.lost = maps.Clone(m.cells), maps.Clone(m.lost)
	return m
}

// declaration is a declaration that later cells see. Several names may share
// one.
type declaration struct {
	kind  token.Token // IMPORT, TYPE, CONST, VAR or FUNC
	names []string    // names for %rm; a method is TYPE~METHOD
	text  string      // complete in a file by itself
	line  int         // first line in its file, counted from 0
	from  *source     // its cell; nil if unknown
	at    int         // its line in the cell
}

// keys returns a key for each name of the declaration. A new declaration with
// the same key replaces the old one.
func (d declaration) keys() (keys []string) {
	for _, name := range d.names {
		keys = append(keys, keyOf(d.kind, name))
	}
	return keys
}

func keyOf(kind token.Token, name string) string { return kind.String() + " " + name }

// list returns the remembered declarations in the order of the cells.
func (m memory) list() []declaration {
	list, _ := declarations(m.Text)
	for i, d := range list {
		if d.line >= len(m.Lines) {
			continue
		}

		line := m.Lines[d.line]
		if d.from = m.cells[line.Cell]; d.from == nil {
			continue
		}

		d.at = line.Line
		if d.names[0] == "init" && d.kind == token.FUNC && line.Line >= 0 && line.Line < len(d.from.cell) {
			d.names = []string{initName(d.from.cell[line.Line])}
		}
		list[i] = d
	}

	slices.SortStableFunc(list, func(a, b declaration) int {
		if a.from == nil || b.from == nil {
			return 0
		}
		return cmp.Or(a.from.count-b.from.count, a.at-b.at)
	})
	return list
}

// initFunction matches the name of a function that GoNB renames to init.
var initFunction = regexp.MustCompile(`\binit_\w+`)

func initName(line string) string { return cmp.Or(initFunction.FindString(line), "init") }

// declarations returns the declarations of a Go file, and the names that the
// body of main sets. The file may be incomplete.
func declarations(text string) (list []declaration, set []string) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", text, parser.SkipObjectResolution|parser.ParseComments)
	if file == nil {
		return nil, nil
	}

	textOf := func(from, to token.Pos) string {
		if from, to := files.Position(from).Offset, files.Position(to).Offset; from >= 0 && to <= len(text) && from <= to {
			return text[from:to]
		}
		return ""
	}

	add := func(kind token.Token, before string, doc *ast.CommentGroup, n ast.Node, names ...string) {
		d := declaration{kind: kind, names: names, text: before + textOf(n.Pos(), n.End()), line: files.Position(n.Pos()).Line - 1}
		if doc != nil {
			d.text = textOf(doc.Pos(), doc.End()) + "\n" + d.text
		}
		if len(names) > 0 {
			list = append(list, d)
		}
	}

	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "main" {
				if d.Body != nil {
					set = append(set, setIn(d.Body)...)
				}
				continue
			}

			add(token.FUNC, "", d.Doc, d, functionName(d))
		case *ast.GenDecl:
			var block []string // constants of a block, which iota makes one declaration
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ImportSpec:
					add(token.IMPORT, "import ", nil, s, importName(s))
				case *ast.TypeSpec:
					add(token.TYPE, "type ", cmp.Or(s.Doc, d.Doc), s, s.Name.Name)
				case *ast.ValueSpec:
					var names []string
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
					if d.Tok == token.CONST {
						block = append(block, names...)
					} else {
						add(token.VAR, "var ", cmp.Or(s.Doc, d.Doc), s, names...)
					}
				}
			}
			add(token.CONST, "", d.Doc, d, block...)
		}
	}
	return list, set
}

// functionName returns the name of a function, or TYPE~METHOD. Methods of *S[T]
// belong to S, regardless of the name of T.
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

// lastWord matches the name that GoNB gives to an import without a name.
var lastWord = regexp.MustCompile(`\w+\s*$`)

// importName returns the name of an import for %rm: the name that it declares,
// the last word of its path, or .~PATH for an import of all names.
func importName(s *ast.ImportSpec) string {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		path = s.Path.Value
	}

	switch {
	case s.Name == nil:
		return cmp.Or(strings.TrimSpace(lastWord.FindString(path)), path)
	case s.Name.Name == ".":
		return ".~" + path // there may be several
	}
	return s.Name.Name
}

// setIn returns the names that the statements of a body declare.
func setIn(body *ast.BlockStmt) (names []string) {
	for _, statement := range body.List {
		switch s := statement.(type) {
		case *ast.AssignStmt:
			for _, left := range s.Lhs {
				if id, ok := left.(*ast.Ident); ok && s.Tok == token.DEFINE && id.Name != "_" {
					names = append(names, id.Name)
				}
			}
		case *ast.DeclStmt:
			ast.Inspect(s, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					for _, name := range n.Names {
						names = append(names, name.Name)
					}
				case *ast.TypeSpec:
					names = append(names, n.Name.Name)
				}
				return true
			})
		}
	}
	return names
}

// packageOf returns the package that a cell would be compiled in. own is the
// cell's file. remembered is a file with the earlier declarations that the cell
// doesn't replace. Line i of the cell is line i + first of its file.
func packageOf(code string, before []declaration) (own, remembered string, first int) {
	known := map[string]bool{} // keys that the package declares
	added, _ := declarations(cell.Compose(code).Text)
	for _, d := range added {
		for _, key := range d.keys() {
			known[key] = true
		}
	}

	var imports, rest strings.Builder
	for _, d := range slices.Backward(before) { // the last declaration of a name counts
		if slices.ContainsFunc(d.keys(), func(key string) bool { return known[key] }) || slices.Contains(d.names, cell.ShowPackage) {
			continue
		}

		for _, key := range d.keys() {
			known[key] = true
		}

		if d.kind == token.IMPORT { // for both files, because gopls accepts unused imports
			imports.WriteString(d.text + "\n")
		} else {
			rest.WriteString(d.text + "\n")
		}
	}

	isKnown := func(name string) bool {
		return slices.ContainsFunc([]token.Token{token.IMPORT, token.CONST, token.TYPE, token.VAR, token.FUNC},
			func(kind token.Token) bool { return known[keyOf(kind, name)] })
	}

	opening, text := cell.Wrap(code)
	header := "package main\n" + imports.String()
	remembered = header + cell.StandardImports(rest.String(), isKnown) + rest.String()

	header += cell.StandardImports(text, isKnown) + opening
	return header + text, remembered, strings.Count(header, "\n")
}

// Package returns the package that a cell would be compiled in now, including
// the declarations of the running cell. own is the cell's file, and remembered
// is a file with the remembered declarations. Line i of the cell is line i +
// first of its file.
func (c *Child) Package(code string) (own, remembered string, first int) {
	c.memoryMu.Lock()
	before, running, prepared := c.memory.list(), c.runningCode, c.isPrepared
	c.memoryMu.Unlock()

	if !prepared {
		prelude, _ := declarations(cell.Compose(c.workspace.prelude()).Text)
		before = append(before, prelude...)
	}

	now, _ := declarations(cell.Compose(running).Text)
	return packageOf(code, append(before, now...))
}

// Names returns the names that you may give to %rm, sorted. It leaves out names
// that the kernel declares.
func (c *Child) Names() (names []string) {
	c.memoryMu.Lock()
	defer c.memoryMu.Unlock()
	for _, d := range c.memory.list() {
		names = append(names, d.names...)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return name == cell.ShowPackage })
	return slices.Compact(names)
}

// readProgram reads GoNB's last program. It returns the zero value if there is
// none.
func (w *Workspace) readProgram() (p goFile) {
	dir := w.findModule()
	if text, err := os.ReadFile(filepath.Join(dir, "lines.json")); dir != "" && err == nil {
		json.Unmarshal(text, &p.Lines) //nolint:errcheck // without lines, errors have no places
	}
	for _, name := range []string{"main.go", "main_test.go"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); dir != "" && err == nil {
			p.Text = string(text)
		}
	}
	return p
}

// source returns the text that GoNB compiles.
func (c *Cell) source() string { return cmp.Or(c.replacement, c.Code) }

// rewrite opens main for statements of a cell without a %% line. It also makes
// the cell show the value of its last expression, or time its body. Without the
// packages for cells timing fails, and no value is shown.
func (c *Child) rewrite(goCell *Cell) error {
	if goCell.Timing == nil {
		goCell.replacement = cell.WithBody(goCell.Code)
	}

	c.memoryMu.Lock()
	remembered := c.memory.list()
	c.memoryMu.Unlock()

	if !slices.ContainsFunc(remembered, func(d declaration) bool { return slices.Contains(d.names, cell.ShowPackage) }) {
		if goCell.Timing != nil {
			return errs.New(errs.Unavailable, "run ./install.sh", "%%timeit needs the packages for cells, which are not installed")
		}
		return nil
	}
	own, set := declarations(cell.Compose(goCell.Code).Text)
	all := append(own, remembered...)
	isOwn := func(name string) bool {
		return slices.Contains(set, name) || slices.ContainsFunc(all, func(d declaration) bool {
			return d.kind != token.IMPORT && slices.Contains(d.names, name)
		})
	}

	uses := strings.Contains(goCell.Code, "session.") ||
		slices.ContainsFunc(remembered, func(d declaration) bool { return strings.Contains(d.text, "session.") })

	results := func(function string) cell.Result {
		if verb, ok := strings.CutPrefix(function, cell.MustMethod+"."); ok {
			return mustResult(verb)
		}
		if name, ok := strings.CutSuffix(function, "."); ok {
			if isOwn(name) {
				return cell.Value
			}
			return cell.Unknown
		}

		if verb, ok := strings.CutPrefix(function, "."); ok {
			if method, found := reflect.TypeFor[session.Session]().MethodByName(verb); found && uses && method.Type.NumOut() != 1 {
				return cell.Nothing
			}
			return cell.Unknown
		}

		index := slices.IndexFunc(all, func(d declaration) bool { return d.kind == token.FUNC && slices.Contains(d.names, function) })
		if index < 0 {
			return cell.Unknown
		}
		return declaredResult(all[index].text)
	}

	code, err := goCell.source(), error(nil)
	switch {
	case goCell.Timing != nil:
		code, err = goCell.Timing.Loop(code, results)
	case goCell.ShowLast:
		var shown cell.Result
		code, shown = cell.ShowLast(goCell.Code, results)
		goCell.isGuess, goCell.fallback = shown == cell.Unknown, goCell.replacement
	}

	goCell.replacement = code
	return err
}

// guessIsWrong matches errors about a call that doesn't return one value.
var guessIsWrong = regexp.MustCompile(`\(no value\) used as value|too many arguments in call to func\(v any\)`)

// mustResult describes the results of a verb of Must. It returns Nothing for a
// changed status, because the kernel already shows that.
func mustResult(verb string) cell.Result {
	method, found := reflect.TypeFor[session.Must]().MethodByName(verb)
	switch {
	case !found || method.Type.NumOut() != 1 || method.Type.Out(0) == reflect.TypeFor[session.Session]():
		return cell.Nothing
	case verb != "Status" && method.Type.Out(0) == reflect.TypeFor[session.Status]():
		return cell.Nothing
	}
	return cell.Value
}

// declaredResult describes the results of a declared function. It returns
// Unknown for an error, because a nil error isn't shown.
func declaredResult(text string) cell.Result {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return cell.Unknown
	}

	f, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok || f.Recv != nil || f.Type.Results == nil || f.Type.Results.NumFields() != 1 {
		return cell.Nothing
	}

	if result, named := f.Type.Results.List[0].Type.(*ast.Ident); named && result.Name == "error" {
		return cell.Unknown
	}
	return cell.Value
}

// harmless lists functions of packages with side effects that may be used in
// the initialiser of a kept variable.
const harmless = " os.Getenv os.LookupEnv os.Getpid os.Getwd os.ReadFile os.ReadDir os.Stat os.Hostname os.UserHomeDir os.TempDir os.Args os.DirFS "

// Initialisers remembers which kept variables of cells were reported, and which
// functions of cells open or write something.
type Initialisers struct {
	said    map[string]bool
	openers map[string]bool
}

// NewInitialisers returns Initialisers before the first cell.
func NewInitialisers() *Initialisers {
	return &Initialisers{map[string]bool{}, map[string]bool{}}
}

// Note returns a line about each variable of a cell whose initialiser opens,
// writes or trains something, because it will do so again in every later cell.
// It reports each variable once.
func (i *Initialisers) Note(code string) string {
	file, _ := parser.ParseFile(token.NewFileSet(), "", cell.Compose(code).Text, parser.SkipObjectResolution)
	if file == nil {
		return ""
	}

	var functions []*ast.FuncDecl
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Body != nil && f.Name.Name != "main" {
			functions = append(functions, f)
			i.openers[f.Name.Name] = false
		}
	}
	for found := true; found; { // a function may call one below it
		found = false
		for _, f := range functions {
			if !i.openers[f.Name.Name] && i.opener(f.Body) != "" {
				i.openers[f.Name.Name], found = true, true
			}
		}
	}

	note := ""
	for _, d := range file.Decls {
		list, ok := d.(*ast.GenDecl)
		if !ok || list.Tok != token.VAR {
			continue
		}

		for _, spec := range list.Specs {
			s := spec.(*ast.ValueSpec)
			name, function := s.Names[0].Name, ""
			for _, value := range s.Values {
				function = cmp.Or(function, i.opener(value))
			}

			if function == "" || i.said[name] {
				continue
			}
			i.said[name] = true
			note += "var " + name + " is kept, and " + function + " runs again in every later cell: do it below %%, or forget it with %rm " + name + "\n"
		}
	}
	return note
}

// opener returns a function that opens, writes, starts or trains something when
// the code is run, such as os.Create, or one that gives another value each time.
// It returns "" if there is none.
func (i *Initialisers) opener(code ast.Node) (function string) {
	ast.Inspect(code, func(n ast.Node) bool {
		if _, later := n.(*ast.FuncLit); later {
			return false
		}

		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if i.openers[f.Name] {
				function = cmp.Or(function, f.Name)
			}
		case *ast.SelectorExpr:
			of, named := f.X.(*ast.Ident)
			switch name := f.Sel.Name; {
			case named && opensSomething(of.Name, name):
				function = cmp.Or(function, of.Name+"."+name)
			case slices.Contains([]string{"Step", "Run", "Rewind", "Fork", "Replace", "Evaluate"}, name):
				function = cmp.Or(function, name)
			}
		}
		return true
	})
	return function
}

// opensSomething reports whether a function of a package has a side effect, or another value each
// time.
func opensSomething(of, name string) bool {
	switch of {
	case "os", "exec", "net", "http", "sql", "rand", "ioutil":
		return !strings.Contains(harmless, " "+of+"."+name+" ")
	case "fmt":
		return strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Fprint")
	case "time":
		return name == "Now"
	}
	return false
}
