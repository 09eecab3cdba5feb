// Command raced says what the race stage runs: the tests in which goroutines meet, and not those in which one of them computes, for which
// the race detector's build takes ten times as long. It reads the code, so that no list of them can rot.
//
// A test is raced where what it mentions leads to the start of a goroutine: a function by the names in it, a type by its methods and
// fields, a variable by its value, through all packages of the module. Whatever a test calls in the end, somebody has made by name.
//
//	raced [DIRECTORY]     prints the regular expression of the tests, and then their packages, a line each
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
	tests, err := raced(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "raced:", err)
		os.Exit(1)
	}
	packages := slices.Sorted(maps.Keys(tests))
	names := map[string]bool{}
	for _, path := range packages {
		for _, name := range tests[path] {
			names[name] = true
		}
	}
	fmt.Printf("^(%s)$\n%s\n", strings.Join(slices.Sorted(maps.Keys(names)), "|"), strings.Join(packages, "\n"))
}

// raced is the tests in which goroutines meet, by package, of the module in dir.
func raced(dir string) (map[string][]string, error) {
	packages, exports, err := list(dir)
	if err != nil {
		return nil, err
	}
	g := graph{}
	all := map[string][]string{}
	for _, p := range packages {
		if p.generated() {
			continue
		}
		tests, err := g.read(p, exports)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if p.ForTest != "" {
			all[p.path()] = tests
		}
	}
	g.spread()
	raced := map[string][]string{}
	for scope, tests := range all {
		path := strings.TrimSuffix(scope, "_test")
		for _, name := range tests {
			if g[scope+"."+name].starts {
				raced[path] = append(raced[path], name)
			}
		}
	}
	for _, names := range raced {
		slices.Sort(names)
	}
	return raced, nil
}
