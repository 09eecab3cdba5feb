package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/host"
	"fsnetlab/fsnet/study"
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
		"judge":     reflect.TypeFor[study.Judged](),
		"log":       reflect.TypeFor[host.LogLine](), // a line of log=FILE
		"planted":   reflect.TypeFor[plantedReport](),
		"predict":   reflect.TypeFor[predicted](),
		"replicas":  reflect.TypeFor[replicasReport](),
		"runs":      reflect.TypeFor[runsReport](),
		"stability": reflect.TypeFor[study.StabilityResult](),
		"tune":      reflect.TypeFor[tuneReport](),
		"version":   reflect.TypeFor[versionReport](),
	}
}

// printers are the commands that have --json, with the name of the schema of what they print.
func printers() map[string]string {
	return map[string]string{
		"fsnet bench": "bench", "fsnet compare": "compare", "fsnet compare merge": "compare",
		"fsnet data list": "data-list", "fsnet doctor": "doctor", "fsnet fit": "fit", "fsnet fit --replicas": "replicas", "fsnet judge": "judge",
		"fsnet path": "tune", "fsnet planted": "planted", "fsnet predict": "predict", "fsnet replicas merge": "replicas",
		"fsnet runs list": "runs", "fsnet stability": "stability", "fsnet sweep": "tune", "fsnet tune": "tune", "fsnet version": "version",
	}
}

// The schemas of docs/schemas are those of the code: go test ./cmd/fsnet -run Schemas -update writes them.
func TestSchemasAreThoseOfTheCode(t *testing.T) {
	s := newSchemas(t)
	for name, of := range printed() {
		commands := []string{}
		if name == "log" {
			commands = []string{"a line of log=FILE"}
		}
		for _, command := range sortedNames(printers()) {
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

// A command with --json has a schema, and what has a schema is a command.
func TestEveryCommandWithJSONHasASchema(t *testing.T) {
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
	if have, want := sortedNames(found), sortedNames(printers()); !slices.Equal(have, want) {
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
func TestObjectsAreOfTheirSchemas(t *testing.T) {
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
		args("bench --d=20 --k=3 --steps=12 --batch=5 --replicas=2 --backend=go"),
		args("compare --k=2 --methods=fsnet,anova,svm --splits=2", quiet...),
		args("compare merge cells.json cells.jsonl"),
		args("data list"),
		args("doctor"),
		args("fit --k=2 --must=g4 --validation-fraction=0.2", quiet...),
		args("fit --k=2 --replicas=2", quiet...),
		args("judge --features=g1,g2 --splits=2", quiet...),
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
	if have, want := sortedNames(tested), sortedNames(printers()); !slices.Equal(have, want) {
		t.Errorf("tested are\n%s\nand there are schemas of\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// Each line that a session logs is of its schema: of every kind that it can have without another device or an error.
func TestLogIsOfItsSchema(t *testing.T) {
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
	if have := sortedNames(kinds); !slices.Equal(have, []string{"metrics", "open", "rewind", "set"}) {
		t.Errorf("the kinds are %s", have)
	}
}

// A field that has another name, or that a schema does not know, does not pass.
func TestSchemasRefuseOtherFields(t *testing.T) {
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
