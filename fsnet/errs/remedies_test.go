package errs_test

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updateRemedies = flag.Bool("update", false, "write the list of remedies anew; rows that stay keep their tests")

const (
	moduleRoot   = "../.."
	remediesFile = moduleRoot + "/tests/remedies.tsv"
	notFollowed  = "-"                                 // in the column of tests: no test follows this remedy
	mostWithout  = 360                                 // rows of that kind, which only fall
	wordsTest    = "cmd/fsnet.TestRemedies_WordsExist" // for remedies whose words alone are checked
)

// TestRemedies_List ensures that tests/remedies.tsv lists every remedy that the
// code gives, and that every test it names exists.
func TestRemedies_List(t *testing.T) {
	found, tests := remediesOf(t)
	listed := readRemedies(t)
	if *updateRemedies {
		writeRemedies(t, found, listed, tests)
		return
	}
	without := 0
	for _, row := range slices.Sorted(maps.Keys(found)) {
		if _, ok := listed[row]; !ok {
			t.Errorf("%s is not in tests/remedies.tsv: go test ./fsnet/errs -run Remedies -update, and name the test that follows it", row)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(listed)) {
		if !found[row] {
			t.Errorf("no code gives %s: go test ./fsnet/errs -run Remedies -update", row)
		}
		if test := listed[row]; test == notFollowed {
			without++
		} else if _, ok := tests[test]; !ok {
			t.Errorf("%s: there is no test %s", row, test)
		}
	}
	if without > mostWithout {
		t.Errorf("%d remedies have no test, %d had none before: name the test that follows the new ones", without, mostWithout)
	}
}

// readRemedies returns the rows of the list, "package<TAB>remedy", with their
// tests.
func readRemedies(t *testing.T) (listed map[string]string) {
	file, err := os.Open(remediesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	listed = map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 3 {
			t.Fatalf("tests/remedies.tsv: %q has %d cells, not 3", lines.Text(), len(cells))
		}
		listed[cells[0]+"\t"+cells[1]] = cells[2]
	}
	return listed
}

// writeRemedies writes the list. A row keeps its test while it exists. Others
// get the first test that has words of the remedy among its texts, since it
// asks for the message, or the test of words if a command, an option or a key
// is named.
func writeRemedies(t *testing.T, found map[string]bool, listed map[string]string, tests map[string][]string) {
	var text strings.Builder
	for _, row := range slices.Sorted(maps.Keys(found)) {
		test := listed[row]
		if _, ok := tests[test]; !ok || test == wordsTest {
			test = asking(row, tests)
		}
		fmt.Fprintf(&text, "%s\t%s\n", row, test)
	}
	if err := os.WriteFile(remediesFile, []byte(text.String()), 0o644); err != nil { //nolint:gosec // a file of the repository
		t.Fatal(err)
	}
}

// asking returns the test of a row without one. A test of its own package
// comes first.
func asking(row string, tests map[string][]string) string {
	const fewest = 12 // letters of a text that can be no accident
	directory, remedy, _ := strings.Cut(row, "\t")
	constant := ""
	for _, part := range regexp.MustCompile(`%[+#]?[a-z]|…`).Split(remedy, -1) {
		if part = strings.TrimSpace(part); len(part) > len(constant) {
			constant = part
		}
	}
	has := func(test string) bool {
		return slices.ContainsFunc(tests[test], func(text string) bool {
			text = strings.TrimSpace(text)
			return len(constant) >= fewest && strings.Contains(text, constant) ||
				len(text) >= fewest && strings.Contains(text, " ") && strings.Contains(remedy, text)
		})
	}
	isTest := regexp.MustCompile(`\.[tT]est[A-Z]`)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(tests)), func(test string) bool { return !isTest.MatchString(test) })
	for _, own := range []bool{true, false} {
		for _, test := range names {
			if strings.HasPrefix(test, directory+".") == own && has(test) {
				return test
			}
		}
	}
	if regexp.MustCompile(`--[a-z]|%[a-z]{2,}|\bfsnet [a-z]+|\b[a-z_]+=|FSNET_`).MatchString(remedy) {
		return wordsTest
	}
	return notFollowed
}

// remediesOf reads all packages. found has "package<TAB>remedy" for every
// argument of a parameter called remedy, tests the texts of "package.TestName".
func remediesOf(t *testing.T) (found map[string]bool, tests map[string][]string) {
	found, tests = map[string]bool{}, map[string][]string{}
	sources := map[string][]*ast.File{} // by package
	files := token.NewFileSet()
	for _, top := range []string{"cmd", "fsnet", "internal", "kernel", "widgets"} {
		err := filepath.WalkDir(filepath.Join(moduleRoot, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.Contains(path, "/testdata/") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(moduleRoot, filepath.Dir(path))
			if err != nil {
				return err
			}
			if !strings.HasSuffix(path, "_test.go") {
				sources[name] = append(sources[name], file)
				return nil
			}
			for _, declaration := range file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil {
					tests[name+"."+f.Name.Name] = textsOf(f)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	exported := map[string]int{} // by function, the place of its parameter remedy
	for _, list := range sources {
		for name, at := range remedyParameters(list) {
			if ast.IsExported(name) {
				exported[name] = at
			}
		}
	}
	for name, list := range sources {
		places := maps.Clone(exported)
		maps.Copy(places, remedyParameters(list))
		fields := remedyFields(list)
		for _, file := range list {
			for _, declaration := range file.Decls {
				for _, remedy := range slices.Concat(remediesIn(declaration, places), remediesOfLists(declaration, fields)) {
					found[name+"\t"+remedy] = true
				}
			}
		}
	}
	return found, tests
}

// textsOf returns the literal texts in a function.
func textsOf(f *ast.FuncDecl) (list []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				list = append(list, text)
			}
		}
		return true
	})
	return list
}

// remedyParameters returns the functions that have a parameter called remedy,
// with its place.
func remedyParameters(list []*ast.File) map[string]int {
	places := map[string]int{}
	for _, file := range list {
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			at := 0
			for _, field := range f.Type.Params.List {
				for _, name := range field.Names {
					if name.Name == "remedy" {
						places[f.Name.Name] = at
					}
					at++
				}
			}
		}
	}
	return places
}

// remedyFields returns the struct types that have a field called remedy, with
// its place.
func remedyFields(list []*ast.File) map[string]int {
	places := map[string]int{}
	for _, file := range list {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			at := 0
			for _, field := range fields.Fields.List {
				for _, name := range field.Names {
					if name.Name == "remedy" {
						places[spec.Name.Name] = at
					}
					at++
				}
			}
			return true
		})
	}
	return places
}

// remediesOfLists returns the remedies in literal lists of structs with a field
// in these places.
func remediesOfLists(declaration ast.Decl, places map[string]int) (list []string) {
	ast.Inspect(declaration, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := literal.Type.(*ast.ArrayType)
		if !ok {
			return true
		}
		name, ok := of.Elt.(*ast.Ident)
		if !ok {
			return true
		}
		at, ok := places[name.Name]
		for _, element := range literal.Elts {
			if one, is := element.(*ast.CompositeLit); ok && is && at < len(one.Elts) {
				if text, is := literalText(one.Elts[at]); is {
					list = append(list, text)
				}
			}
		}
		return true
	})
	return list
}

// remediesIn returns the remedies of a declaration: the arguments in these
// places of these functions, and what is assigned to variables and constants
// called remedy.
func remediesIn(declaration ast.Decl, places map[string]int) (list []string) {
	add := func(x ast.Expr) {
		if text, ok := literalText(x); ok {
			list = append(list, text)
		}
	}
	ast.Inspect(declaration, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
				if of, ok := f.X.(*ast.Ident); ast.IsExported(name) && slices.Contains([]string{"New", "Wrap", "With"}, name) && (!ok || of.Name != "errs") {
					return true
				}
			}
			if at, ok := places[name]; ok && at < len(n.Args) {
				add(n.Args[at])
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name == "remedy" && len(n.Rhs) == len(n.Lhs) {
					add(n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if id.Name == "remedy" && i < len(n.Values) {
					add(n.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Remedy" {
				add(n.Value)
			}
		}
		return true
	})
	return list
}

// literalText returns the text of an expression, with … for what is not a
// literal. ok is false if it has no literal, such as a variable, whose own text
// is listed where it is assigned.
func literalText(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return strings.Join(strings.Fields(text), " "), err == nil && text != ""
	case *ast.BinaryExpr:
		left, okLeft := literalText(x.X)
		right, okRight := literalText(x.Y)
		return left + right, okLeft || okRight
	case *ast.CallExpr:
		parts := []string{}
		for _, argument := range x.Args {
			if part, ok := literalText(argument); ok {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, "|"), len(parts) > 0
	case *ast.ParenExpr:
		return literalText(x.X)
	}
	return "…", false
}
