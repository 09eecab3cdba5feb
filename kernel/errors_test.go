package kernel

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

var seconds = regexp.MustCompile(`\(\d+\.\d+s\)`)

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// brokenCells are run in order by one kernel; those that do not fail prepare the next.
func brokenCells() []string {
	return []string{
		"%%\nx := 1\nundefinedName(x)",
		"fmt.Println(}",
		"func f( {",
		"%%\n日本 := \"é\"; undefinedToo(日本)",
		"func pick(xs []int, at int) int {\n\treturn xs[at]\n}\nvar numbers = []int{1, 2, 3}",
		"%%\nanswer := 42\nfmt.Println(answer)",
		"%%\nfmt.Println(answer)",
		"%%\nfmt.Println(numbrs)",
		"%%\nlost := 1",
		"%%\nfmt.Println(\"before\")\n!true\nfmt.Println(pick(numbers, 5))",
		"%%\nfmt.Println(pick(numbers))",
		"%%\nvar s string = pick(numbers, 1)\n_ = s\nvar n int = \"text\"\n_ = n",
		"func wrong() int { return pick(1, 2) }",
		"type Point struct{ X, Y int }\n" +
			"func (p *Point) Norm() int {\n\tif p.X < 0 {\n\t\tpanic(fmt.Errorf(\"negative X: %d\", p.X))\n\t}\n\treturn p.X\n}",
		"%%\np := &Point{X: -1}\nfmt.Println(p.Norm())",
		"%%\np := &Point{}\np.Z = 1",
		"%%\nvar p *Point\np.Norm()",
		"func init_data() { numbers = nil }",
		"%%\ninit_data()",
		"%rm init_data\nfunc init_bad() {\n\tpanic(\"never again\")\n}",
		"%%\nfmt.Println(1)",
		"%rm init_bad\n%%\nfmt.Println(strings.Repeat(\"x\", -1))",
		"%%\nch := make(chan int)\n<-ch",
		"%%\ngo func() { panic(\"in the background\") }()\ntime.Sleep(time.Second)",
		"func numbers() {}",
		"import \"nosuch/thing\"\n%%\nthing.Do()",
		"import . \"math\"\n%%\nfmt.Println(Pi)",
		"%%\nfmt.Println(1)",
		"%rm .~math\n%%\nos.Exit(3)",
		"%%\nfmt.Fprintln(os.Stderr, \"a warning\")\nfmt.Fprintln(os.Stderr, \"the reason\")\nos.Exit(1)",
		"%%\nlog.SetFlags(log.Llongfile)\nlog.Println(\"here\")\nlog.Fatal(\"and out\")",
		"%%\nlog.SetFlags(log.Lshortfile)\nlog.Println(\"here\")",
		"%test\nfunc TestPick(t *testing.T) {\n\tif got := pick(numbers, 1); got != 3 {\n\t\tt.Errorf(\"%d, want 3\", got)\n\t}\n}",
		"const (\n\t// The first.\n\ta = iota\n\n\tb = undefinedConst\n)",
		"var (\n\tone = 1\n\ttwo = undefinedVar\n)",
		"%%\nfor i := 0; i < 3; i++ {\n\tfmt.Println(i)",
		"%exec nothing\nfunc g() {}",
		"func g(\n\tx int,\n",
		"%rm numbrs\n%%\nx := numbers[\"one\"] +\n",
		"%%\n\tif numbers == nil {\n\t\tvar 日 = numbers.len()\n\t}",
		"%%\nvar r func(n int) int\nr = func(n int) int { return r(n+1) }\nr(0)",
		"%%\ndefer func() { panic(\"second\") }()\npanic(\"first\")",
	}
}

// What a person sees of a cell that fails: the golden text shows every cell, its output and its one error. -update writes it.
func TestErrorsAsAPersonReadsThem(t *testing.T) {
	l := newGoLab(t)
	var seen strings.Builder
	for _, code := range brokenCells() {
		r := l.run(code)
		seen.WriteString("───── " + strings.ReplaceAll(code, "\n", "\n      ") + "\n")
		for _, stream := range []string{"stdout", "stderr"} {
			if text := r.stream(stream); text != "" {
				seen.WriteString(stream + ": " + strings.TrimSuffix(text, "\n") + "\n")
			}
		}
		if r.reply.Status == "error" {
			l.failed(code, r)
			if n := len(r.Of("display_data")); n > 0 {
				t.Errorf("%q: %d displays", code, n)
			}
			traceback := colours.ReplaceAllString(strings.Join(r.reply.Traceback, "\n"), "")
			seen.WriteString("= " + r.reply.Name + ": " + r.reply.Value + "\n" + traceback + "\n")
		}
	}
	golden := filepath.Join("testdata", "errors.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(seen.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	differs(t, seconds.ReplaceAllString(seen.String(), "(0.00s)"), string(want))
	for _, bad := range []string{"gonb_", "main.go", "main_test.go", "/tmp/", "goroutine ", "exit status 2"} {
		if strings.Contains(seen.String(), bad) {
			t.Errorf("%q is shown", bad)
		}
	}
}

// differs reports the first lines that are not the same.
func differs(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			next := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+3, len(lines))], "\n") }
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, next(a), next(b))
			return
		}
	}
}
