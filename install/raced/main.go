// Command raced says what the race stage runs: the tests in which goroutines meet, and not those in which one of them computes, for which
// the race detector's build takes ten times as long. It reads the code, so that no list of them can rot.
//
// A test is raced where what it mentions leads to the start of a goroutine: a function by the names in it, a type by its methods and
// fields, a variable by its value, through all packages of the module. Whatever a test calls in the end, somebody has made by name.
//
// Goroutines that meet nobody but each other, in the end of many a computation, need not be raced by all of them: the comment of the
// function that starts them may name the tests that do, each of which has to lead to it. So may that of a function which leads to all
// there is, such as the one that assembles a program's commands: most tests that call it come to one of them, which may start nothing.
//
//	//raced:by TestEach TestPreparedRows
//
// The race stage does all of a raced test, unless what it mentions leads to testing.Short. Another stage need not run it again.
//
//	raced [DIRECTORY]     prints a line each: the regular expression of the raced tests, that of those whose names no test has that needs
//	                      another stage too, the packages of the raced ones, and those in which other tests are left
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	raced, done, left, err := read(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "raced:", err)
		os.Exit(1)
	}
	names := map[string]bool{}
	for _, tests := range raced {
		for _, name := range tests {
			names[name] = true
		}
	}
	fmt.Println(expression(slices.Sorted(maps.Keys(names))))
	fmt.Println(expression(done))
	fmt.Println(strings.Join(slices.Sorted(maps.Keys(raced)), " "))
	fmt.Println(strings.Join(left, " "))
}

// expression matches these names and no others.
func expression(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// read gives the tests of the module in dir in which goroutines meet, by package, the names that only such tests have of which the race
// stage leaves nothing out, and the packages that have tests of other names.
func read(dir string) (raced map[string][]string, done, left []string, err error) {
	packages, exports, err := list(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	g := graph{}
	all := map[string][]string{}
	for _, p := range packages {
		if p.generated() {
			continue
		}
		tests, err := g.read(p, exports)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if p.ForTest != "" {
			all[p.path()] = tests
		}
	}
	g.spread()
	if err := g.nameRacers(all); err != nil {
		return nil, nil, nil, err
	}
	raced = map[string][]string{}
	rests := map[string]bool{} // names of which something is left
	for scope, tests := range all {
		path := strings.TrimSuffix(scope, "_test")
		for _, name := range tests {
			test := g[scope+"."+name]
			rests[name] = rests[name] || !test.starts || test.shortens
			if test.starts {
				raced[path] = append(raced[path], name)
			}
		}
	}
	for _, names := range raced {
		slices.Sort(names)
	}
	for name, rest := range rests {
		if !rest {
			done = append(done, name)
		}
	}
	slices.Sort(done)
	for scope, tests := range all {
		if slices.ContainsFunc(tests, func(name string) bool { return rests[name] }) {
			left = append(left, strings.TrimSuffix(scope, "_test"))
		}
	}
	slices.Sort(left)
	return raced, done, slices.Compact(left), nil
}

// nameRacers makes starting the tests that functions name as those which race them.
func (g graph) nameRacers(all map[string][]string) error {
	for function, d := range g {
		for _, name := range d.by {
			found := false
			for scope, tests := range all {
				if test := scope + "." + name; slices.Contains(tests, name) && g.leads(test, function) {
					g[test].starts, found = true, true
				}
			}
			if !found {
				return fmt.Errorf("%s says that %s races it: no such test reaches it - name one that does", function, name)
			}
		}
	}
	return nil
}
