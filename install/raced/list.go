package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
)

// goPackage is what go list says of one, as it is or as a test needs it.
type goPackage struct {
	ImportPath, Dir, ForTest, Export string
	GoFiles, CgoFiles                []string
	ImportMap                        map[string]string
	DepOnly                          bool
}

// list is the packages of the module in dir with their tests, and the files that describe what they import.
func list(dir string) (packages []goPackage, exports map[string]string, err error) {
	command := exec.Command("go", "list", "-test", "-deps", "-export",
		"-json=ImportPath,Dir,ForTest,Export,GoFiles,CgoFiles,ImportMap,DepOnly", "./...")
	command.Dir, command.Stderr = dir, os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	exports = map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, exports, nil
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			packages = append(packages, p)
		}
	}
}

// importsOf reads what a package imports from the files that the compiler has left.
func importsOf(p goPackage, fset *token.FileSet, exports map[string]string) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		return os.Open(exports[path])
	})
}

// path is the import path, without the test that it is made for.
func (p goPackage) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// generated is true for the program that go test makes of a test.
func (p goPackage) generated() bool { return strings.HasSuffix(p.ImportPath, ".test") }
