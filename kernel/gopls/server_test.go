package gopls

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// The test binary is also a gopls that misbehaves.
func TestMain(m *testing.M) {
	if how := os.Getenv("FSNET_TEST_GOPLS"); how != "" && len(os.Args) > 1 && os.Args[1] == "serve" {
		misbehave(how)
		return
	}
	os.Exit(m.Run())
}

// misbehave answers initialize and then does what it is told.
func misbehave(how string) {
	in := bufio.NewReader(os.Stdin)
	for {
		length := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				length, _ = strconv.Atoi(n)
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(body, &request) != nil || request.ID == nil {
			continue
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, request.ID)
		switch {
		case request.Method == "initialize":
		case how == "dies":
			os.Exit(3)
		case how == "hangs":
			select {}
		case how == "babbles":
			answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"items":[{"label":"a"},{"label":"b","textEdit":{"newText":"b"}},`+
				`{"label":"c","textEdit":{"newText":"c","range":{"start":{"line":9,"character":0},"end":{"line":9,"character":0}}}},`+
				`{"label":"d","kind":99,"textEdit":{"newText":"d",`+
				`"range":{"start":{"line":0,"character":-5},"end":{"line":0,"character":500}}}}]}}`, request.ID)
		}
		fmt.Printf("Content-Length: %d\r\n\r\n%s", len(answer), answer)
	}
}

// begin starts a gopls on a module: the installed one, or with how one that misbehaves.
func begin(t *testing.T, how string) *Server {
	t.Helper()
	program := os.Args[0]
	if how == "" {
		program = filepath.Join(system.Home(), "bin", "gopls")
		if _, err := os.Stat(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip("NOT TESTED: ", err)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module cells\n\ngo 1.26\n", "cell.go": "package main\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Start(t.Context(), Options{Program: program, Directory: dir, Environment: append(os.Environ(), "FSNET_TEST_GOPLS="+how)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(0) })
	return s
}

// marked makes the files of a package of its text, where | is the place that is asked about.
func marked(text string, others ...File) ([]File, Position) {
	before, after, _ := strings.Cut(text, "|")
	lines := strings.Split(before, "\n")
	return append(others, File{"cell.go", before + after}), Position{"cell.go", len(lines) - 1, len([]rune(lines[len(lines)-1]))}
}

// Completion offers variables, methods, packages and names of other files, each
// with its kind and signature.
func TestComplete_Kinds(t *testing.T) {
	s := begin(t, "")
	const head = "package main\nimport \"strings\"\ntype 点 struct{ Größe int }\n" +
		"func (p *点) Norm(by float64) (int, error) { return 0, nil }\nvar p 点\n"
	other := File{"other.go", "package main\n// Helper helps.\nfunc Helper() string { return \"\" }\n"}
	for name, c := range map[string]struct {
		text string
		want Item
	}{
		"a method": {
			head + "func main() { p.No|rm(1) }", Item{Text: "Norm", Start: 16, End: 20, Kind: "method", Detail: "func(by float64) (int, error)"},
		},
		"a field of several bytes": {head + "func main() { p.Gr| }", Item{Text: "Größe", Start: 16, End: 18, Kind: "field", Detail: "int"}},
		"behind characters of UTF-16's": {
			head + "func main() { s := \"𝛌λ\"; _ = s; strings.ToUp| }",
			Item{Text: "ToUpper", Start: 40, End: 44, Kind: "function", Detail: "func(s string) string"},
		},
		"of another file": {
			head + "func main() { Hel| }", Item{Text: "Helper", Start: 14, End: 17, Kind: "function", Detail: "func() string"},
		},
		"in a body without its end": {
			head + "func main() {\n\tif p.Norm(1); p.N|",
			Item{Text: "Norm", Start: 17, End: 18, Kind: "method", Detail: "func(by float64) (int, error)"},
		},
		"a package not imported": {
			head + "func main() { filepath.Jo| }", Item{Text: "Join", Start: 23, End: 25, Kind: "function", Detail: `func (from "path/filepath")`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files, at := marked(c.text, other)
			for end := time.Now().Add(time.Minute); ; {
				items, err := s.Complete(t.Context(), files, at)
				if err != nil {
					t.Fatal(err)
				}
				found := slices.IndexFunc(items, func(item Item) bool { return item.Text == c.want.Text })
				if found >= 0 {
					if items[found] != c.want {
						t.Errorf("it is %+v, want %+v", items[found], c.want)
					}
					return
				}
				if time.Now().After(end) { // of what is not imported gopls gives what it finds within a limit
					t.Fatalf("no %s among %+v", c.want.Text, items)
				}
			}
		})
	}
	// Paths are looked for within gopls's own limit, which a busy machine does not always keep.
	files, at := marked("package main\nimport \"path/file|\"\n")
	for end := time.Now().Add(time.Minute); ; {
		items, err := s.Complete(t.Context(), files, at)
		if err != nil || time.Now().After(end) {
			t.Fatalf("of an import there are %+v, %v", items, err)
		}
		if len(items) > 0 && strings.HasPrefix(items[0].Text, "filepath") {
			break
		}
	}
}

// Hover gives the documentation of a name, without links to files, and nothing
// where there is no name.
func TestHover_Documentation(t *testing.T) {
	s := begin(t, "")
	files, at := marked("package main\nfunc main() { 𝛌 := 1; _ = 𝛌; Hel|per() }",
		File{"other.go", "package main\n// Helper helps, as [Other] does.\nfunc Helper() {}\nfunc Other() {}\n"})
	text, err := s.Hover(t.Context(), files, at)
	if err != nil || !strings.Contains(text, "func Helper()") ||
		!strings.Contains(text, "helps, as Other does") || strings.Contains(text, "file:") {
		t.Errorf("%q, %v", text, err)
	}
	files, at = marked("package main\n\n|\n")
	if text, err := s.Hover(t.Context(), files, at); err != nil || text != "" {
		t.Errorf("of nothing: %q, %v", text, err)
	}
}

// After a change of go.mod, its new module is found.
func TestReload_NewModule(t *testing.T) {
	s := begin(t, "")
	files, at := marked("package main\nimport \"near.test/by\"\nfunc main() { by.Na| }")
	if items, err := s.Complete(t.Context(), files, at); err != nil || len(items) > 0 {
		t.Fatalf("before: %+v, %v", items, err)
	}
	near := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(near, "go.mod"):        "module near.test/by\n\ngo 1.26\n",
		filepath.Join(near, "by.go"):         "package by\n\nfunc Name() string { return \"\" }\n",
		filepath.Join(s.directory, "go.mod"): "module cells\n\ngo 1.26\n\nrequire near.test/by v0.0.0\n\nreplace near.test/by => " + near + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Reload(t.Context(), "go.mod"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; {
		items, err := s.Complete(t.Context(), files, at)
		if err == nil && len(items) == 1 && items[0].Text == "Name" {
			break
		}
		if err != nil || time.Now().After(end) { // gopls gives what it finds within a limit
			t.Fatalf("after: %+v, %v", items, err)
		}
	}
}

// A question ends with its context, and the next one doesn't wait for it.
func TestServer_Hangs(t *testing.T) {
	s := begin(t, "hangs")
	files, at := marked("package main\n|")
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := s.Complete(ctx, files, at); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		cancel()
	}
	s.Stop(0)
	<-s.Done()
}

// If the server dies, the current question and later ones return an error.
func TestServer_Dies(t *testing.T) {
	s := begin(t, "dies")
	files, at := marked("package main\n|")
	if _, err := s.Hover(t.Context(), files, at); err == nil {
		t.Error("no error")
	}
	<-s.Done()
	if _, err := s.Hover(t.Context(), files, at); err == nil {
		t.Error("no error from one that has ended")
	}
}

// Output that makes no sense is ignored.
func TestServer_Babbles(t *testing.T) {
	s := begin(t, "babbles")
	files, at := marked("package main|")
	items, err := s.Complete(t.Context(), files, at)
	if want := (Item{Text: "d", End: 12, Kind: "text"}); err != nil || len(items) != 2 || items[0].Text != "a" || items[1] != want {
		t.Errorf("%+v, %v", items, err)
	}
}

// Start returns an error if the program doesn't exist or doesn't answer.
func TestStart_NoServer(t *testing.T) {
	if _, err := Start(t.Context(), Options{Program: "/nonexistent/gopls", Directory: t.TempDir()}); !errs.Is(err, errs.Unavailable) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, Options{Program: "/bin/cat", Directory: t.TempDir()}); !errs.Is(err, errs.Unavailable) { // echoes requests
		t.Errorf("%v", err)
	}
}

// Units and characters are each other's inverse at every place of a line.
func FuzzPosition(f *testing.F) {
	for _, seed := range []string{"", "abc", "日本", "a𝛌b", "\xff\xfe", "é🎉"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		line, _, _ = strings.Cut(line, "\n")
		files := []File{{"x", line}}
		for i := range len([]rune(line)) + 1 {
			at := toWire(files, Position{"x", 0, i})
			if got := column(lineOf(files, "x", 0), at.Character); got != i {
				t.Errorf("%q: character %d is unit %d is character %d", line, i, at.Character, got)
			}
		}
	})
}

// The declaration around a line comes with its comment, also inside a group.
func TestDeclaration_AroundALine(t *testing.T) {
	const text = "package p\n\n// A is.\ntype (\n\t// B is\n\t// a type.\n\tB struct {\n\t\tX int // of it\n\t}\n\tC int\n)\n\n" +
		"// one to two\nconst (\n\tOne = iota\n\tTwo\n)\n\n// F does.\nfunc F() {\n\tx := 1\n\t_ = x\n}\n\nvar v, w = 1, 2\n"
	for line, want := range map[int]string{
		7:  "// B is\n\t// a type.\ntype B struct {\n\t\tX int // of it\n\t}",
		8:  "// B is\n\t// a type.\ntype B struct {\n\t\tX int // of it\n\t}",
		10: "type C int",
		16: "// one to two\nconst (\n\tOne = iota\n\tTwo\n)",
		20: "// F does.\nfunc F() {\n\tx := 1\n\t_ = x\n}",
		21: "// F does.\nfunc F() {\n\tx := 1\n\t_ = x\n}",
		25: "var v, w = 1, 2",
		2:  "", 99: "", -1: "",
	} {
		if got := declaration(text, line); got != want {
			t.Errorf("line %d is of %q, want %q", line, got, want)
		}
	}
	if got := declaration("package p\nfunc F() {", 2); got != "func F() {" {
		t.Errorf("of a file that is being written it is %q", got)
	}
	if got := declaration("package p\n\n//line made.y:90\nvar x = 1\nvar y = 2\n", 5); got != "var y = 2" {
		t.Errorf("of a file that was made of another one it is %q", got)
	}
	if got := declaration("nothing", 1); got != "" {
		t.Errorf("of no Go it is %q", got)
	}
}
