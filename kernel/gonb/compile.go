package gonb

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

var (
	ownModule = regexp.MustCompile(`\bcells imports\s*`) // "go: cells imports some/package: …"
	ownPath   = regexp.MustCompile(`\S*/gonb_[0-9a-f]+/`)
	fileLine  = regexp.MustCompile(`^(\s*)\S*\bmain(?:_test)?\.go:(\d+)(?::(\d+))?: (.*)$`)
	inPassing = regexp.MustCompile(`; to add it:$| \(and \d+ more errors\)$| \(/[^)]*\)$`) // what the go command adds for others
	noise     = regexp.MustCompile(
		`^(# |exit status |too many errors|FAIL\b|note: module requires|go: (?:downloading|found|added|finding) )` +
			`|^(executing special commands in cell: )?failed to run `)
)

// compileError tells what the go command said of the program that GoNB made of a cell, in terms of the cells.
func compileError(content jupyter.ErrorReply, g *generated) Reply {
	var found []trouble
	placed := false
	for line := range strings.SplitSeq(process.Plain(content.Value), "\n") {
		if strings.TrimSpace(line) == "" || noise.MatchString(strings.TrimSpace(line)) {
			continue
		}
		match := fileLine.FindStringSubmatch(line)
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, " ")
		switch {
		case match != nil && indented && len(found) > 0:
			number, _ := strconv.Atoi(match[2])
			if at, ok := g.at(number, 0); ok {
				found[len(found)-1].more = append(found[len(found)-1].more, "  "+at.name(g.cell)+": "+match[4])
			}
		case match != nil:
			placed = true
			t := trouble{what: inPassing.ReplaceAllString(match[4], "")}
			number, _ := strconv.Atoi(match[2])
			column, _ := strconv.Atoi(match[3])
			at, ok := g.at(number, column)
			switch {
			case strings.Contains(t.what, "found 'EOF'"):
				t = g.unclosed(t)
			case ok:
				t.where = []spot{{place: at}}
			case g.raw:
				t = g.atEnd(t)
			}
			t.hint = hint(t, g)
			if !slices.ContainsFunc(found, func(other trouble) bool { return same(t, other) }) {
				found = append(found, t)
			}
		case indented && len(found) > 0:
			found[len(found)-1].more = append(found[len(found)-1].more, "  "+strings.TrimSpace(line))
		default:
			found = append(found, trouble{what: tidy(line)})
		}
	}
	if !placed {
		return otherError(found, g)
	}
	// What has no place in a cell only introduces what has.
	found = slices.DeleteFunc(found, func(t trouble) bool { return len(t.where) == 0 && !strings.Contains(t.what, " ") })
	return reply("CompileError", g.cell, found)
}

// same reports whether two errors say the same of the same line, as when a name is used twice in it.
func same(a, b trouble) bool {
	return a.what == b.what && len(a.where) > 0 && len(b.where) > 0 && a.where[0].from == b.where[0].from && a.where[0].line == b.where[0].line
}

// tidy leaves out the names of GoNB's own module and directory, and its own words.
func tidy(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "executing special commands in cell: ")
	return strings.TrimSpace(ownPath.ReplaceAllString(ownModule.ReplaceAllString(text, ""), ""))
}

// otherError is one that is about no line: a module that is not there, a special line that is wrong.
func otherError(found []trouble, g *generated) Reply {
	var lines []string
	for _, t := range found {
		lines = append(lines, t.what)
		for _, more := range t.more {
			lines = append(lines, strings.TrimSpace(more))
		}
	}
	t := trouble{what: tidy(strings.Join(lines, " "))}
	if t.what == "" {
		t.what = "the cell does not compile"
	}
	t.hint = hint(t, g)
	if match := missing.FindStringSubmatch(t.what); match != nil {
		t.what = strings.TrimPrefix(t.what, "go: "+match[1]+": ")
		t.where = g.quoted(match[1])
	}
	return reply("Error", g.cell, []trouble{t})
}

// quoted is where the cell names a package.
func (p *generated) quoted(path string) []spot {
	for i, line := range p.cell.cell {
		if at := strings.Index(line, `"`+path+`"`); at >= 0 {
			return []spot{{place: place{p.cell, i, utf8.RuneCountInString(line[:at]), len(path) + 2}}}
		}
	}
	return nil
}
