// Command packages writes the documentation of Go packages as pages of the site: what a package says of itself, and each declaration with
// its words and its examples. It reads the source, so it belongs to the building of the site and not to fsnet, which has no source at hand.
//
//	packages DIRECTORY PACKAGE…     in the module's root: DIRECTORY/index.md, and DIRECTORY/fsnet/train.md for the package fsnet/train
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "packages: name a directory and packages, as in: packages site/go fsnet fsnet/train")
		os.Exit(2)
	}
	if err := write(".", os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// write writes the pages of packages of the module that lies in root.
func write(root, directory string, names []string) error {
	read, err := readAll(root, names)
	if err != nil {
		return err
	}
	pages := map[string]string{"index": read.overview()}
	for _, name := range names {
		if pages[name], err = read.page(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, text := range pages {
		path := filepath.Join(directory, filepath.FromSlash(name)+".md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		// What competes with the pages that were written for readers comes after them in the search.
		if err := os.WriteFile(path, []byte("---\nsearch:\n  boost: 0.3\n---\n\n"+text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// overview is a table of the packages, each with its first sentence.
func (m *module) overview() string {
	var page strings.Builder
	page.WriteString("# Go packages\n\nWhat a Go program or a Go cell may import, from the comments of the code. " +
		"[Go](../go.md) shows how to begin.\n\n| package | in a sentence |\n|---|---|\n")
	for _, name := range m.names {
		p := m.packages[m.path+"/"+name]
		fmt.Fprintf(&page, "| [`%s`](%s.md) | %s |\n", name, name, m.sentence(p.Package, p.Doc))
	}
	return page.String()
}
