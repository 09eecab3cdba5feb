package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/results"
)

var update = flag.Bool("update", false, "write docs/schemas")

// printed is what --json prints, by the name of its schema.
func printed() map[string]reflect.Type {
	return map[string]reflect.Type{
		"bench":     reflect.TypeFor[benchReport](),
		"compare":   reflect.TypeFor[compareReport](),
		"data-list": reflect.TypeFor[[]collected](),
		"doctor":    reflect.TypeFor[[]finding](),
		"fit":       reflect.TypeFor[fsnet.Result](),
		"judge":     reflect.TypeFor[results.Judged](),
		"log":       reflect.TypeFor[host.LogLine](), // a line of log=FILE
		"pairs":     reflect.TypeFor[results.Pairs](),
		"planted":   reflect.TypeFor[plantedReport](),
		"predict":   reflect.TypeFor[fsnet.Predicted](),
		"replicas":  reflect.TypeFor[replicasReport](),
		"runs":      reflect.TypeFor[runsReport](),
		"stability": reflect.TypeFor[results.Stability](),
		"tune":      reflect.TypeFor[tuneReport](),
		"version":   reflect.TypeFor[versionReport](),
	}
}

// printers are the commands that have --json, with the name of the schema of what they print.
func printers() map[string]string {
	return map[string]string{
		"fsnet bench": "bench", "fsnet compare": "compare", "fsnet compare merge": "compare",
		"fsnet data list": "data-list", "fsnet doctor": "doctor", "fsnet fit": "fit", "fsnet fit --replicas": "replicas", "fsnet judge": "judge",
		"fsnet pairs": "pairs", "fsnet path": "tune", "fsnet planted": "planted", "fsnet predict": "predict", "fsnet replicas merge": "replicas",
		"fsnet runs list": "runs", "fsnet stability": "stability", "fsnet sweep": "tune", "fsnet tune": "tune", "fsnet version": "version",
	}
}

// The schemas of docs/schemas are those of the code: go test ./cmd/fsnet -run
// Schemas -update writes them.
func TestSchemas_MatchCode(t *testing.T) {
	s := newSchemas(t)
	for name, of := range printed() {
		commands := []string{}
		if name == "log" {
			commands = []string{"a line of log=FILE"}
		}
		for _, command := range slices.Sorted(maps.Keys(printers())) {
			if printers()[command] == name {
				commands = append(commands, command)
			}
		}
		text := text(t, s.of(of, strings.Join(commands, ", ")))
		if *update {
			if err := os.WriteFile(schemaFile(name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(schemaFile(name)); err != nil || !bytes.Equal(have, text) {
			t.Errorf("%s is not what the code prints; go test ./cmd/fsnet -run Schemas -update writes it", schemaFile(name))
		}
	}
}

// A command with --json has a schema, and each schema belongs to a command.
func TestSchemas_EveryJSONCommand(t *testing.T) {
	found := map[string]bool{"fsnet fit --replicas": true}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if c.LocalFlags().Lookup("json") != nil {
			found[c.CommandPath()] = true
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look(newRootCommand())
	if have, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(printers())); !slices.Equal(have, want) {
		t.Errorf("--json is an option of\n%s\nand there are schemas of\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// printer is the command that these arguments ask for --json, as printers names it; "" if they do not.
func printer(args []string) string {
	c, rest, err := newRootCommand().Find(args)
	if err != nil || !slices.Contains(rest, "--json") {
		return ""
	}
	replicas := func(a string) bool { return strings.HasPrefix(a, "--replicas") }
	if name := c.CommandPath(); name != "fsnet fit" || !slices.ContainsFunc(rest, replicas) {
		return name
	}
	return "fsnet fit --replicas"
}

// fits is the difference between a JSON text and the schema of this name.
func fits(t *testing.T, schema, text string) error {
	t.Helper()
	var object any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return err
	}
	return kept(t, schema).Validate(object)
}

// Each command prints what its schema has.
func TestSchemas_ObjectsConform(t *testing.T) {
	t.Setenv(asProgram, "1") // of the workers
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cohort.csv", []byte(smallTable()), 0o600); err != nil {
		t.Fatal(err)
	}
	runs, _ := leftRun(t)
	how := strings.Fields("cohort.csv --label=diagnosis --samples=sample --backend=go")
	short := append(how, "--epochs=3", "--hidden=4")
	quiet := append(short, "--quiet")
	args := func(line string, more ...string) []string { return slices.Concat(strings.Fields(line), more) }
	for _, first := range [][]string{
		args("fit --k=2 --save=model.safetensors", quiet...),
		args("replicas plan --k=2 --replicas=2 --output=replicas.json", short...),
		args("replicas run replicas.json --output=replicas.jsonl --quiet"),
		args("compare plan --k=2 --methods=fsnet,anova --splits=2 --output=cells.json", short...),
		args("compare run cells.json --output=cells.jsonl --quiet"),
	} {
		done(t, first...)
	}
	tested := map[string]bool{}
	for _, line := range [][]string{
		args("bench --d=20 --k=3 --steps=12 --batch=5 --backend=go"),
		args("compare --k=2 --methods=fsnet,anova,svm --splits=2", quiet...),
		args("compare merge cells.json cells.jsonl"),
		args("data list"),
		args("doctor"),
		args("fit --k=2 --must=g4 --validation-fraction=0.2", quiet...),
		args("fit --k=2 --replicas=2", quiet...),
		args("judge --features=g1,g2 --splits=2", quiet...),
		args("pairs", how...),
		args("path --k=1,2 --folds=2 --test-fraction=0.3", quiet...),
		args("planted --k=2 --methods=fsnet,anova --kinds=linear --repeats=1 --causal=2", quiet...),
		args("predict model.safetensors cohort.csv"),
		args("replicas merge replicas.json replicas.jsonl"),
		args("runs list --directory=" + runs),
		args("stability --k=2 --pairs=2 --evaluate", quiet...),
		args("sweep --grid=k=1,2 --seeds=2 --folds=2 --test-fraction=0.3", quiet...),
		args("tune --grid=k=1,2 --folds=2 --test-fraction=0.3", quiet...),
		args("version"),
	} {
		out, messages, _ := command(t, append(line, "--json")...) // the doctor may find a problem here
		name := printer(append(line, "--json"))
		if tested[name] = true; out == "" {
			t.Errorf("%s printed nothing: %s", name, messages)
		}
	}
	if have, want := slices.Sorted(maps.Keys(tested)), slices.Sorted(maps.Keys(printers())); !slices.Equal(have, want) {
		t.Errorf("tested are\n%s\nand there are schemas of\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// Each line that a session logs conforms to its schema: lines of every kind
// that need neither another device nor an error.
func TestSchemas_LogConforms(t *testing.T) {
	command, err := programCommand(t.Context(), "repl", "-c", "open s data=cohort.csv label=diagnosis samples=sample k=2 epochs=40 "+
		"backend=go log=s.jsonl stop=never\nstep 20\nrewind 10\nset lambda=0.5\nstep 10\nclose")
	if err != nil {
		t.Fatal(err)
	}
	command.Dir = shortDirectory(t)
	if err := os.WriteFile(filepath.Join(command.Dir, "cohort.csv"), []byte(smallTable()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(command.Dir, "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if err := fits(t, "log", line); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		var l host.LogLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Error(err)
		}
		kinds[l.Kind] = true
	}
	if have := slices.Sorted(maps.Keys(kinds)); !slices.Equal(have, []string{"metrics", "open", "rewind", "set"}) {
		t.Errorf("the kinds are %s", have)
	}
}

// An unknown or renamed field is rejected.
func TestSchemas_RejectOtherFields(t *testing.T) {
	out := done(t, "version", "--json")
	for _, wrong := range []string{
		strings.Replace(out, `"platform"`, `"machine"`, 1), strings.Replace(out, "{", `{"more":1,`, 1),
		strings.Replace(out, `"version":"`, `"version":1,"was":"`, 1), "[]",
	} {
		if wrong == out || fits(t, "version", wrong) == nil {
			t.Errorf("%s passes", wrong)
		}
	}
}

// repository is absolute, since some tests work in another directory.
var repository, _ = filepath.Abs(filepath.Join("..", ".."))

// schemas makes JSON schemas of Go types, as encoding/json writes them, and takes their words from the comments of the code. A comment is
// part of what is promised: a field is optional if it is tagged so or its comment says that it is left out, and may be null if it is a
// pointer or a list whose comment says null.
type schemas struct {
	t     *testing.T
	path  string            // of the module
	words map[string]string // comments, by package.Type and package.Type.Field
	read  map[string]bool   // packages whose comments are there
}

func newSchemas(t *testing.T) *schemas {
	path := strings.TrimSuffix(reflect.TypeFor[errs.Error]().PkgPath(), "/fsnet/errs")
	return &schemas{t: t, path: path, words: map[string]string{}, read: map[string]bool{}}
}

// of is the schema of a type. The types that it has inside are its definitions, by their names.
func (s *schemas) of(t reflect.Type, title string) *jsonschema.Schema {
	defs := map[string]*jsonschema.Schema{}
	types := map[string]reflect.Type{}
	schema := &jsonschema.Schema{}
	if t.Kind() == reflect.Slice {
		schema = s.value(t, defs, types)
	} else {
		schema = s.object(t, defs, types)
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", title
	if len(defs) > 0 {
		schema.Defs = defs
	}
	return schema
}

// value is the schema of a value of a type.
func (s *schemas) value(t reflect.Type, defs map[string]*jsonschema.Schema, types map[string]reflect.Type) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case t.Kind() == reflect.Pointer:
		return s.value(t.Elem(), defs, types)
	case t.Kind() == reflect.Struct:
		name := exported(t.Name())
		if known := types[name]; known != nil && known != t { // two packages have one name
			name = exported(path.Base(t.PkgPath())) + name
		}
		if known := types[name]; known != nil && known != t {
			s.t.Fatalf("%s and %s have one name in the schema", known, t)
		}
		if types[name] == nil {
			types[name] = t
			defs[name] = s.object(t, defs, types)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + name}
	case t.Kind() == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: s.value(t.Elem(), defs, types)}
	case t.Kind() == reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: s.value(t.Elem(), defs, types)}
	case t.Kind() == reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case t.Kind() == reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case t.Kind() == reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	}
	s.t.Fatalf("there is no schema of %s", t)
	return nil
}

// object is that of a struct, which has no other fields than these.
func (s *schemas) object(t reflect.Type, defs map[string]*jsonschema.Schema, types map[string]reflect.Type) *jsonschema.Schema {
	made := &jsonschema.Schema{Type: "object", Description: s.comment(t, ""), Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	s.fields(made, t, false, defs, types)
	return made
}

func (s *schemas) fields(
	made *jsonschema.Schema, t reflect.Type, optional bool, defs map[string]*jsonschema.Schema, types map[string]reflect.Type,
) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-", !field.IsExported() && !field.Anonymous:
			continue
		case field.Anonymous && name == "":
			inside, pointer := field.Type, field.Type.Kind() == reflect.Pointer
			if pointer {
				inside = inside.Elem()
			}
			s.fields(made, inside, optional || pointer, defs, types)
			continue
		case name == "":
			s.t.Errorf("%s.%s has no name in JSON", t, field.Name)
			continue
		}
		words := s.comment(t, field.Name)
		if words == "" {
			s.t.Errorf("%s.%s needs a comment: what it means, and its unit", t, field.Name)
		}
		schema := s.value(field.Type, defs, types)
		tagged, kind := strings.Contains(options, "omit"), field.Type.Kind()
		switch null := kind == reflect.Pointer || kind == reflect.Slice && saysNull.MatchString(words); {
		case tagged || !null:
		case schema.Ref != "":
			schema = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema, {Type: "null"}}}
		default:
			schema.Types, schema.Type = []string{schema.Type, "null"}, ""
		}
		if field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Pointer {
			schema.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema.Items, {Type: "null"}}}
		}
		schema.Description = words
		made.Properties[name] = schema
		made.PropertyOrder = append(made.PropertyOrder, name)
		if !tagged && !optional && !strings.Contains(words, "left out") {
			made.Required = append(made.Required, name)
		}
	}
}

var saysNull, goWords, goLinks = regexp.MustCompile(`\bnull\b`), regexp.MustCompile(`\bnil\b`), regexp.MustCompile(`\[([\w.]+)\]`)

// comment is that of a type, or of a field of it, for readers of JSON.
func (s *schemas) comment(t reflect.Type, field string) string {
	if t == reflect.TypeFor[config.Settings]() || t == reflect.TypeFor[config.Live]() {
		return meaning(t, field)
	}
	if pkg := t.PkgPath(); pkg != "" && !s.read[pkg] {
		s.read[pkg] = true
		s.parse(pkg)
	}
	words := s.words[strings.TrimSuffix(t.PkgPath()+"."+t.Name()+"."+field, ".")]
	for _, verb := range []string{" is ", " holds "} { // which Go's comments begin with, after the name
		if rest, ok := strings.CutPrefix(words, cmp.Or(field, t.Name())+verb); ok {
			words = exported(rest)
		}
	}
	return goLinks.ReplaceAllString(goWords.ReplaceAllString(words, "null"), "$1")
}

// meaning is that of a key.
func meaning(t reflect.Type, field string) string {
	if field == "" {
		return "Every key, as in force."
	}
	f, _ := t.FieldByName(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	for _, key := range config.Keys() {
		if key.Name == name && f.Type.Kind() == reflect.Slice {
			return key.Meaning + "; null where there are none"
		} else if key.Name == name {
			return key.Meaning
		}
	}
	return ""
}

// parse reads the comments of a package of the module.
func (s *schemas) parse(pkg string) {
	files, err := filepath.Glob(filepath.Join(repository, strings.TrimPrefix(pkg, s.path), "*.go"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no source of %s: %v", pkg, err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			s.t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			declaration, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range declaration.Specs {
				if named, ok := spec.(*ast.TypeSpec); ok {
					s.keep(pkg+"."+named.Name.Name, named, declaration.Doc)
				}
			}
			return true
		})
	}
}

// keep notes what is said of a type and of its fields.
func (s *schemas) keep(name string, named *ast.TypeSpec, above *ast.CommentGroup) {
	if named.Doc != nil {
		above = named.Doc
	}
	s.words[name] = plain(above.Text())
	structure, ok := named.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range structure.Fields.List {
		words := field.Doc
		if words == nil {
			words = field.Comment
		}
		for _, ident := range field.Names {
			s.words[name+"."+ident.Name] = plain(words.Text())
		}
	}
}

// plain is a comment as one line.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// text is a schema as it is kept: what says what it is comes first.
func text(t *testing.T, schema *jsonschema.Schema) []byte {
	t.Helper()
	made, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]json.RawMessage{}
	if err := json.Unmarshal(made, &parts); err != nil {
		t.Fatal(err)
	}
	order := strings.Fields("$schema title description type items properties required additionalProperties $defs")
	if len(parts) > len(order) {
		t.Fatalf("%s has more than %s", made, order)
	}
	var lines []string
	for _, name := range order {
		if part, ok := parts[name]; ok {
			lines = append(lines, strconv.Quote(name)+":"+string(part))
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte("{"+strings.Join(lines, ",")+"}"), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), '\n')
}

func exported(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// schemaFile is where the schema of this name is kept.
func schemaFile(name string) string {
	return filepath.Join(repository, "docs", "schemas", name+".schema.json")
}

// kept is the schema of this name, ready to validate with.
func kept(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(schemaFile(name))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := schema.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}
