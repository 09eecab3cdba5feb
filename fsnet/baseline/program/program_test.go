package program

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// TestMain is a program of the protocol where its arguments ask for one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "program" {
		serve(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// serve answers as a program of some kind does: it selects the first columns.
func serve(kind string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			panic(err)
		}
		list := make([]string, r.K)
		for i := range list {
			list[i] = strconv.Itoa(i)
		}
		answer := func(selected string, more string) {
			fmt.Printf(`{"fit": %d, "selected": [%s]%s}`+"\n", r.Fit, selected, more)
		}
		first := strings.Join(list, ", ")
		switch {
		case r.Predict > 0:
			fmt.Printf(`{"predict": %d, "y": [%s]}`+"\n", r.Predict, map[string]string{"predicts": "0, 1, 1, 1", "predicts-few": "1"}[kind])
		case kind == "good":
			answer(first, "")
		case kind == "names":
			answer(strconv.Quote(r.Features[2])+","+strconv.Quote(r.Features[0]), `, "scores": [2.5, -1]`)
		case strings.HasPrefix(kind, "predicts"):
			answer(first, `, "predicts": true`)
		case kind == "progress":
			fmt.Println(`{"progress": [1, 4], "stage": "trees"}`)
			fmt.Println(`{"progress": [4, 4]}`)
			answer(first, "")
		case kind == "refuses" && n == 1:
			fmt.Printf(`{"fit": %d, "error": "needs three classes"}`+"\n", r.Fit)
		case kind == "dies" && n == 1:
			fmt.Fprint(os.Stderr, "Traceback\nModuleNotFoundError: No module named 'boruta'\n\n")
			os.Exit(3)
		case kind == "hangs":
			sleep := exec.Command("sleep", "600")
			_ = sleep.Start()
			fmt.Printf(`{"progress": [%d, %d]}`+"\n", sleep.Process.Pid, math.MaxInt32)
			time.Sleep(time.Hour)
		case kind == "unknown":
			answer(`0, "no such gene"`, "")
		case kind == "outside":
			answer("0, 3", "")
		case kind == "twice":
			answer("1, 1", "")
		case kind == "few":
			answer("1", "")
		case kind == "rising":
			answer(first, `, "scores": [1, 2]`)
		case kind == "NaN":
			answer(first, `, "scores": [NaN, 2]`)
		case kind == "garbage":
			fmt.Println("Fitting 500 trees")
		case kind == "late":
			fmt.Printf(`{"fit": %d, "selected": [0, 1]}`+"\n", r.Fit-1)
		default:
			answer(first, "")
		}
	}
}

// ours is a program of this test, which is closed at the end.
func ours(t *testing.T, kind string) *Program {
	t.Helper()
	return begun(t, os.Args[0]+" program "+kind)
}

func begun(t *testing.T, command string) *Program {
	t.Helper()
	p, err := New("mine", command)
	if err == nil {
		p, err = p.In("")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func small() baseline.Data {
	return baseline.Data{
		Rows: [][]float64{{1, 5, 0.25}, {2, 6, 0.5}, {7, 5, 0.125}, {8, 6, 3}}, Y: []int{0, 0, 1, 1}, Classes: 2,
		Features: []string{"TP53", "MYC, or not", "ß"},
	}
}

// Every program that keeps to the protocol does this.
func conforms(t *testing.T, p *Program) {
	t.Helper()
	quantities := small()
	quantities.Y, quantities.Classes, quantities.Target = nil, 0, []float64{1, 2, 7.5, 8}
	for name, data := range map[string]baseline.Data{"classes": small(), "quantities": quantities} {
		var first []int
		for range 3 { // by one process
			model, err := p.Fit(t.Context(), data, baseline.Options{K: 2, Seed: 1})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if first == nil {
				first = model.Columns()
			}
			if !slices.Equal(model.Columns(), first) {
				t.Errorf("%s, one seed: %v and %v", name, first, model.Columns())
			}
			if _, err := p.Score(t.Context(), data); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	all, err := p.Fit(t.Context(), small(), baseline.Options{K: 3, Seed: 1 << 40})
	if err != nil || len(all.Columns()) != 3 {
		t.Errorf("%v, %v", all, err)
	}
}

// The suite's programs, the page's example and every adapter of methods/
// conform.
func TestConformance_Programs(t *testing.T) {
	t.Run("Go", func(t *testing.T) { conforms(t, ours(t, "good")) })
	t.Run("Python", func(t *testing.T) { conforms(t, begun(t, filepath.Join("testdata", "spread.py"))) })
	example := func(t *testing.T) string { // the page's
		page, err := os.ReadFile("../../../docs/methods.md")
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(page), "```python\n")
		text, _, _ = strings.Cut(text, "```")
		path := filepath.Join(t.TempDir(), "example.py")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("documentation", func(t *testing.T) {
		needs(t, "numpy")
		conforms(t, begun(t, example(t)))
	})
	adapters, err := filepath.Glob("../../../methods/[a-ce-z]*.py")
	if err != nil || len(adapters) == 0 {
		t.Fatal(adapters, err)
	}
	for _, path := range adapters {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				words := strings.Fields(line)
				if len(words) > 1 && (words[0] == "from" || words[0] == "import") && words[1] != "door" {
					needs(t, words[1])
				}
			}
			conforms(t, begun(t, path))
		})
	}
}

// needs skips a test where the Python that runs programs cannot import a module.
func needs(t *testing.T, module string) {
	t.Helper()
	python, err := python()
	if err != nil || exec.Command(python, "-c", "import "+module).Run() != nil {
		t.Skipf("no Python with %s: ./install.sh lab --methods installs it", module)
	}
}

// A program's answers become a model, a score and its messages.
func TestProgram_Answers(t *testing.T) {
	p := ours(t, "names")
	model, err := p.Fit(t.Context(), small(), baseline.Options{K: 2})
	if err != nil || !slices.Equal(model.Selected, []baseline.Feature{{Index: 2, Score: 2.5}, {Index: 0, Score: -1}}) {
		t.Errorf("%+v, %v", model, err)
	}
	if own, err := p.Score(t.Context(), small()); own != nil || err != nil {
		t.Errorf("it only selects: %v, %v", own, err)
	}

	p = ours(t, "predicts")
	if _, err = p.Fit(t.Context(), small(), baseline.Options{K: 2}); err != nil {
		t.Fatal(err)
	}
	if own, err := p.Score(t.Context(), small()); err != nil || own == nil || *own != 0.75 {
		t.Errorf("%v, %v", own, err)
	}

	var told []baseline.Progress
	o := baseline.Options{K: 1, Progress: func(p baseline.Progress) { told = append(told, p) }}
	_, err = ours(t, "progress").Fit(t.Context(), small(), o)
	if want := []baseline.Progress{{Stage: "trees", Done: 1, Total: 4}, {Done: 4, Total: 4}}; err != nil || !slices.Equal(told, want) {
		t.Errorf("%v, %v", told, err)
	}
}

// A line says what a program did wrong, and the next fit works.
func TestProgram_Rejects(t *testing.T) {
	for kind, want := range map[string]string{
		"refuses": "mine: needs three classes",
		"dies":    "mine: it ended without an answer: exit status 3: ModuleNotFoundError: No module named 'boruta' - run it by hand",
		"unknown": `mine: it selected "no such gene", which is not a feature - give names from features, or numbers from 0 to 2`,
		"outside": `mine: it selected "3", which is not a feature`,
		"twice":   `mine: it selected "1" twice - select each once`,
		"few":     "mine: it selected 1 feature, not 2 - select as many as k says",
		"rising":  "mine: score 2 is 2, after 1 - give the best feature first",
		"NaN":     `"scores": [NaN, 2]`,
		"garbage": `mine: it wrote "Fitting 500 trees"`,
		"late":    "mine: asked for fit = 1, predict = 0, it answered fit = 0, predict = 0",
	} {
		t.Run(kind, func(t *testing.T) {
			if kind == "NaN" {
				want = "mine: it wrote"
			}
			p := ours(t, kind)
			_, err := p.Fit(t.Context(), small(), baseline.Options{K: 2})
			if !errs.Is(err, errs.Failed) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, not %s", err, want)
			}
			if kind != "refuses" {
				return
			}
			if _, err = p.Fit(t.Context(), small(), baseline.Options{K: 2}); err != nil { // the same process, which counts
				t.Error(err)
			}
		})
	}
	p := ours(t, "predicts-few")
	if _, err := p.Fit(t.Context(), small(), baseline.Options{K: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Score(t.Context(), small()); err == nil || !strings.HasPrefix(err.Error(), "mine: 1 prediction for 4 rows") {
		t.Error(err)
	}
}

// An interrupt ends a program and what it started, and its late answer is
// dropped.
func TestProgram_Interrupt(t *testing.T) {
	p := ours(t, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	child := 0
	_, err := p.Fit(ctx, small(), baseline.Options{K: 2, Progress: func(p baseline.Progress) {
		child = p.Done
		cancel()
	}})
	if !errs.Is(err, errs.Interrupted) || child == 0 {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); system.Alive(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("its child goes on")
		}
	}
	if p.process != nil {
		t.Error("it goes on")
	}
}

// A program's hash covers its content and its arguments, and a program that has
// changed isn't run.
func TestProgram_Identity(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("a.sh", "#!/bin/sh\n", 0o700)
	write("b.sh", "#!/bin/sh\n", 0o700)
	hash := func(command string) string {
		p, err := New("mine", command)
		if err == nil {
			p, err = p.In(folder)
		}
		if err != nil {
			return err.Error()
		}
		return p.Hash()
	}
	first := hash("./a.sh")
	if len(first) != 16 || hash("./b.sh") != first || hash(filepath.Join(folder, "a.sh")) != first || hash("./a.sh --trees") == first {
		t.Errorf("a hash is that of contents and arguments: %s, %s, %s", first, hash("./b.sh"), hash("./a.sh --trees"))
	}
	p, err := New("mine", "./a.sh")
	if err == nil {
		p, err = p.In(folder)
	}
	write("a.sh", "#!/bin/sh\nexit 0\n", 0o700)
	if err != nil || hash("./a.sh") == first {
		t.Error("a program that was changed has the same hash", err)
	}
	_, err = p.Fit(t.Context(), small(), baseline.Options{K: 1})
	if !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), "mine has changed") {
		t.Error(err)
	}
	if _, err = p.As("0123").Fit(t.Context(), small(), baseline.Options{K: 1}); !errs.Is(err, errs.Request) {
		t.Error(err)
	}
	write("c", "text", 0o600)
	for command, want := range map[string]string{
		"./none.py": "there is no program " + filepath.Join(folder, "none.py"), "./c": "is not executable - chmod +x it",
		"no-such-program": `there is no program "no-such-program" - write its path, as in mine=./no-such-program`, "./": "is a directory",
	} {
		if got := hash(command); !strings.Contains(got, want) {
			t.Errorf("%s: %s", command, got)
		}
	}
}
