package gonb

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"

	"fsnetlab/internal/suggest"
)

var (
	undefined  = regexp.MustCompile(`^undefined: (\w+)$`)
	redeclared = regexp.MustCompile(`^(?:method )?(\w+)(?:\.\w+)? (?:redeclared|already declared)`)
	unused     = regexp.MustCompile(`^declared and not used: (\w+)$`)
	notUsed    = regexp.MustCompile(`^"([^"]+)" imported(?: as \w+)? and not used$`)
	missing    = regexp.MustCompile(
		`(?:no required module provides package|cannot find module providing package|module) ([\w./~-]+\.[\w./~-]+)`)
	notStd = regexp.MustCompile(`^package ([\w./-]+) is not in std`)
)

// hint is what to do about the traps that everybody falls into once; "" for others.
func hint(t trouble, g *generated) string {
	what := t.what
	if strings.HasSuffix(what, "expected declaration, found fsnet") {
		return "begin the line with %fsnet"
	}
	if match := undefined.FindStringSubmatch(what); match != nil {
		return undefinedHint(match[1], g)
	}
	if match := unused.FindStringSubmatch(what); match != nil {
		return fmt.Sprintf("use it or remove it; declare what a later cell needs above %%%%: var %s = …", match[1])
	}
	if match := redeclared.FindStringSubmatch(what); match != nil {
		if match[1] == "main" {
			return "a cell has one body: keep %% or func main"
		}
		return fmt.Sprintf("an earlier declaration is remembered: %%rm %s forgets it", match[1])
	}
	if match := notUsed.FindStringSubmatch(what); match != nil {
		return importHint(match[1], t, g)
	}
	if strings.Contains(what, "imports must appear before other declarations") {
		return "put imports at the top of a cell, above its other declarations"
	}
	if match := missing.FindStringSubmatch(what); match != nil {
		return "get its module with !*go get " + match[1] + "@latest, or use a directory of your own: !*go mod edit -replace " + match[1] +
			"=DIRECTORY"
	}
	if match := notStd.FindStringSubmatch(what); match != nil {
		return "the standard library has no such package; the path of any other package begins with a host, as in example.org/" + match[1]
	}
	if name := g.rememberedAs(t); name != "" {
		return "this is remembered from an earlier cell: correct it there and run that cell again, or forget it: %rm " + name
	}
	return ""
}

func undefinedHint(name string, g *generated) string {
	if count, ok := g.memory.lost[name]; ok {
		return fmt.Sprintf("%s was set in the body of cell [%d], and values do not outlive their cell: declare it above %%%% (var %s = …), or "+
			"keep it in a session", name, count, name)
	}
	if strings.HasPrefix(name, "init_") {
		return "functions named init_… run by themselves at the start of every later cell and cannot be called"
	}
	if name == "session" || name == "widgets" {
		return "the packages for cells are not installed: run ./install.sh"
	}
	var known []string
	for _, d := range g.memory.list() {
		if d.kind != token.IMPORT {
			known = append(known, d.names...)
		}
	}
	if near := suggest.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// rememberedAs is how %rm knows what an error of an earlier cell's line is about, or "".
func (p *generated) rememberedAs(t trouble) string {
	if len(t.where) != 1 || t.where[0].from == p.cell || t.where[0].from.count == p.cell.count {
		return ""
	}
	at, name, begin := t.where[0], "", -1
	for _, d := range p.memory.list() {
		if d.from == at.from && d.at <= at.line && d.at > begin {
			name, begin = d.names[0], d.at
		}
	}
	return name
}

// importHint is about an import that goimports does not take out by itself: of all of a package's names.
func importHint(path string, t trouble, g *generated) string {
	if len(t.where) == 1 && t.where[0].from.count == g.cell.count {
		return "use it or remove it"
	}
	return fmt.Sprintf("an import of all names is remembered, and must be used in every cell: %%rm .~%s forgets it", path)
}
