package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const starting = `package starting

import "sync"

type Clock struct{ ticks chan int }

func (c *Clock) run() { go func() { c.ticks <- 1 }() }

type Plain struct{ Run, Go int }

type Ticker interface{ Tick() }

func New() Ticker { return ticking{} }

type ticking struct{}

func (ticking) Tick() { each(func() {}) }

func each(do func()) {
	var group sync.WaitGroup
	group.Go(do)
	group.Wait()
}

var Registry = map[string]func() Ticker{"": New}

func Sum(a, b int) int { return a + b }

// Apart tells nobody of its goroutines.
//
//raced:by TestNamed
func Apart() { done := make(chan int); go close(done); <-done }

// Every leads to all there is.
//
//raced:by TestByEvery
//raced:by TestAlsoByEvery
func Every() { New().Tick(); Apart() }
`

const tests = `package computing_test

import (
	"testing"

	"example/computing"
	"example/starting"
)

func TestComputes(t *testing.T)     { computing.Run(starting.Plain{Run: starting.Sum(1, 2), Go: 3}) }
func TestByInterface(t *testing.T)  { starting.New().Tick() }
func TestByType(t *testing.T)       { var c starting.Clock; _ = c }
func TestByVariable(t *testing.T)   { starting.Registry[""]() }
func TestByHelper(t *testing.T)     { helper() }
func TestByItself(t *testing.T)     { go func() {}() }
func TestInParallel(t *testing.T)   { t.Parallel() }
func ExampleRun()                   { computing.Deep() }
func FuzzComputes(f *testing.F)     {}
func TestInPart(t *testing.T)       { if !testing.Short() { computing.Deep() } }
func TestInPartByHelper(t *testing.T) { helper(); part() }
func TestTwice(t *testing.T)        { helper() }
func TestNamed(t *testing.T)        { starting.Apart() }
func TestNotNamed(t *testing.T)     { starting.Apart() }
func TestByEvery(t *testing.T)      { starting.Every() }
func TestAlsoByEvery(t *testing.T)  { starting.Every() }
func TestNotByEvery(t *testing.T)   { starting.Every() }
func TestByEveryAndItself(t *testing.T) { starting.Every(); go func() {}() }
func helper()                       { f := func() { go helper() }; f() }
func part()                         { _ = testing.Short() }
`

// A test is raced where goroutines meet, however it comes to them, and not where a name only looks alike. Where it is shortened then, or
// another of its name is not raced, it has to be run without the race detector too. A function may name the tests that race it.
func TestRaced(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module example\n\ngo 1.26\n",
		"starting/starting.go": starting,
		"computing/computing.go": "package computing\n\nimport \"example/starting\"\n\n" +
			"func Run(p starting.Plain) int { return p.Run + p.Go }\n\nfunc Deep() { starting.Registry[\"\"]() }\n",
		"computing/inside_test.go": "package computing\n\nimport \"testing\"\n\nfunc TestInside(t *testing.T) { Deep() }\n\n" +
			"func TestAlone(t *testing.T) { Run(nothing) }\n",
		"computing/export_test.go":  "package computing\n\nimport \"example/starting\"\n\nvar nothing starting.Plain\n",
		"computing/outside_test.go": tests,
		"starting/starting_test.go": "package starting\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { Sum(1, 2) }\n\n" +
			"func TestTwice(t *testing.T) { Sum(1, 2) }\n",
		"starting/untested/files.go": "package untested\n",
		"beside/beside_test.go": "package beside\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { go m.Run() }\n\n" +
			"func TestBesideMain(t *testing.T) {}\n",
		"registered/registered.go": "package registered\n\nimport \"example/starting\"\n\nvar list []any\n\n" +
			"func init() { list = append(list, starting.New()) }\n\nfunc First() any { return list[0] }\n",
		"registered/x_test.go": "package registered\n\nimport \"testing\"\n\nfunc TestRegistered(t *testing.T) { First() }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false")
	t.Setenv("GOWORK", "off")
	got, done, left, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"example/beside":     {"TestBesideMain"},
		"example/registered": {"TestRegistered"},
		"example/computing": {
			"ExampleRun", "TestAlsoByEvery", "TestByEvery", "TestByEveryAndItself", "TestByHelper", "TestByInterface", "TestByItself",
			"TestByType", "TestByVariable", "TestInParallel", "TestInPart", "TestInPartByHelper", "TestInside", "TestNamed", "TestTwice",
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("races %v, not %v", got, want)
	}
	wantDone := []string{
		"ExampleRun", "TestAlsoByEvery", "TestBesideMain", "TestByEvery", "TestByEveryAndItself", "TestByHelper", "TestByInterface",
		"TestByItself", "TestByType", "TestByVariable", "TestInParallel", "TestInside", "TestNamed", "TestRegistered",
	}
	if !reflect.DeepEqual(done, wantDone) {
		t.Errorf("has done %v, not %v", done, wantDone)
	}
	if want := []string{"example/computing", "example/starting"}; !reflect.DeepEqual(left, want) {
		t.Errorf("leaves tests in %v, not in %v", left, want)
	}
	text := strings.Replace(starting, "by TestNamed", "by TestComputes", 1)
	if err := os.WriteFile(filepath.Join(dir, "starting/starting.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	const refused = "example/starting.Apart says that TestComputes races it: no such test reaches it"
	if _, _, _, err := read(dir); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("a name that races nothing: %v", err)
	}
}
