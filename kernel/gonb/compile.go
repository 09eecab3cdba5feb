package gonb

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fsnetlab/internal/phrase"
	"fsnetlab/kernel/cell"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

var (
	ownModule = regexp.MustCompile(`\bcells imports\s*`) // as in "go: cells imports some/package: …"
	ownPath   = regexp.MustCompile(`\S*/gonb_[0-9a-f]+/`)
	fileLine  = regexp.MustCompile(`^(\s*)\S*\bmain(?:_test)?\.go:(\d+)(?::(\d+))?: (.*)$`)
	inPassing = regexp.MustCompile(`; to add it:$| \(and \d+ more errors\)$| \(/[^)]*\)$`) // additions of the go command that don't help here
	noise     = regexp.MustCompile(
		`^(# |exit status |too many errors|FAIL\b|note: module requires|go: (?:downloading|found|added|finding) )` +
			`|^(executing special commands in cell: )?failed to run `)
)

// compileError translates the go command's errors from lines of GoNB's program
// to lines of cells.
func compileError(content jupyter.ErrorReply, g *program) jupyter.ErrorReply {
	var found []problem
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
			if at, ok := g.placeOf(number, 0); ok {
				found[len(found)-1].more = append(found[len(found)-1].more, "  "+at.name(g.cell)+": "+match[4])
			}
		case match != nil:
			placed = true
			t := problem{what: inPassing.ReplaceAllString(match[4], "")}
			t.what = strings.ReplaceAll(t.what, " in argument to "+cell.ShowPackage+".Show", "")
			number, _ := strconv.Atoi(match[2])
			column, _ := strconv.Atoi(match[3])

			onLine, ok := g.placeOf(number, column)
			switch {
			case strings.Contains(t.what, "found 'EOF'"):
				t = g.atBracket(t)
			case ok:
				t.where = []spot{{place: onLine}}
			case g.raw:
				t = g.atEnd(t)
			}

			t.hint = hint(t, g)
			if !slices.ContainsFunc(found, func(other problem) bool { return same(t, other) }) {
				found = append(found, t)
			}
		case indented && len(found) > 0:
			found[len(found)-1].more = append(found[len(found)-1].more, "  "+strings.TrimSpace(line))
		default:
			found = append(found, problem{what: withoutOwnNames(line)})
		}
	}

	if !placed {
		return otherError(found, g)
	}
	// Lines without a place only introduce those with one.
	found = slices.DeleteFunc(found, func(t problem) bool { return len(t.where) == 0 && !strings.Contains(t.what, " ") })

	return errorReply("CompileError", g.cell, found)
}

// same reports whether two errors have the same text and line, as when a line
// uses a name twice.
func same(a, b problem) bool {
	return a.what == b.what && len(a.where) > 0 && len(b.where) > 0 && a.where[0].from == b.where[0].from && a.where[0].line == b.where[0].line
}

// withoutOwnNames removes the names of GoNB's module and directory, and text
// that GoNB adds.
func withoutOwnNames(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "executing special commands in cell: ")
	return strings.TrimSpace(ownPath.ReplaceAllString(ownModule.ReplaceAllString(text, ""), ""))
}

// otherError returns the error for a failure without a line, such as a missing
// module, a wrong command or a full disk.
func otherError(found []problem, g *program) jupyter.ErrorReply {
	var lines []string
	for _, t := range found {
		lines = append(lines, t.what)
		for _, more := range t.more {
			lines = append(lines, strings.TrimSpace(more))
		}
	}

	t := problem{what: withoutOwnNames(strings.Join(lines, " "))}
	if t.what == "" {
		t.what = "the cell does not compile"
	}

	t.hint = hint(t, g)

	if match := full.FindStringSubmatch(t.what); match != nil {
		directory := os.TempDir()
		if match[1] != "" && !strings.HasPrefix(match[1], directory) {
			directory = filepath.Dir(match[1])
		}
		t.what = directory + " is full"
		t.hint = "free some space there, or restart the kernel with TMPDIR (for Go's cache GOCACHE) set to another directory"
	}

	if match := missing.FindStringSubmatch(t.what); match != nil {
		t.what = strings.TrimPrefix(t.what, "go: "+match[1]+": ")
		t.where = g.importPlace(match[1])
	}

	return errorReply("Error", g.cell, []problem{t})
}

// importPlace returns the first place of a path in double quotes in the cell's
// text, for [problem.where]. It returns nil if the text doesn't contain the
// path.
func (p *program) importPlace(path string) []spot {
	for i, line := range p.cell.cell {
		if at := strings.Index(line, `"`+path+`"`); at >= 0 {
			return []spot{{place: place{p.cell, i, utf8.RuneCountInString(line[:at]), len(path) + 2}}}
		}
	}
	return nil
}

// most bounds the number of errors, or of frames of a stack, to show.
const most = 6

// problem is one error, with its places in cells if they are known.
type problem struct {
	what  string
	more  []string // lines that explain it
	hint  string
	where []spot
	stack bool // where holds frames, innermost first
}

// spot is a place and its function. The function is "" for a cell's body.
type spot struct {
	place
	in string
}

// name describes a place to the user of a cell. Lines count from 1, and another
// cell is named.
func (p place) name(cell *source) string {
	where := "cell line"
	if p.from != cell && p.from.count != cell.count {
		where = fmt.Sprintf("cell [%d] line", p.from.count)
	}
	if p.column < 0 {
		return fmt.Sprintf("%s %d", where, p.line+1)
	}
	return fmt.Sprintf("%s %d:%d", where, p.line+1, p.column+1)
}

// quote returns the line and, if the column is known, a mark below it.
func (p place) quote() string {
	line := strings.ReplaceAll(p.from.cell[p.line], "\t", " ") // one column each, as the mark counts
	cut := len(line) - len(strings.TrimLeft(line, " "))
	if p.column >= 0 {
		cut = min(cut, p.column)
	}

	number := fmt.Sprintf("%4d", p.line+1)
	text := dim(number+" │ ") + strings.TrimRight(line[cut:], " \r")

	if p.column >= 0 {
		text += "\n" + dim(strings.Repeat(" ", len(number))+" │ ") + strings.Repeat(" ", p.column-cut) + red(strings.Repeat("^", p.length))
	}
	return text
}

// errorReply returns the error of a cell. Its value is the first of found. Its
// traceback shows the first few of found, with their lines and hints.
func errorReply(name string, cell *source, found []problem) jupyter.ErrorReply {
	r := jupyter.ErrorReply{Name: name}
	for i, t := range found {
		if i == most {
			r.Traceback = append(r.Traceback, dim(fmt.Sprintf("… and %d more", len(found)-most)))
			break
		}

		head, value := t.what, t.what
		switch {
		case t.stack:
			head = name + ": " + t.what
		case len(t.where) == 1:
			head = t.where[0].name(cell) + ": " + t.what
			value = head
		}

		if i == 0 {
			r.Value = firstBytes(value, 300)
			if len(found) > 1 {
				r.Value += fmt.Sprintf(" (and %d more)", len(found)-1)
			}
		}

		first, then := quotes(cell, t), t.more
		if t.stack {
			first, then = then, first
		}
		r.Traceback = slices.Concat(r.Traceback, []string{red(head)}, first, then)
		if t.hint != "" {
			r.Traceback = append(r.Traceback, "→ "+t.hint)
		}
	}
	return r
}

// quotes returns the quoted lines of a problem's places, each with its mark.
// Repeated frames of a function that calls itself become one.
func quotes(cell *source, t problem) []string {
	var lines []string
	shown := 0

	for i := 0; i < len(t.where); i++ {
		if shown == most {
			return append(lines, dim(fmt.Sprintf("  … and %d more", len(t.where)-i)))
		}

		s, times := t.where[i], 1
		for ; i+1 < len(t.where) && t.where[i+1] == s; i++ {
			times++
		}

		if t.stack {
			line := "  " + s.name(cell)
			if s.in != "" {
				line += ", in " + s.in
			}
			if times > 1 {
				line += ", again and again"
			}
			lines = append(lines, line)
		}
		lines = append(lines, s.quote())
		shown++
	}
	return lines
}

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }
func dim(text string) string { return "\x1b[2m" + text + "\x1b[0m" }

var (
	crashBegins = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: goroutine stack exceeds )`)
	crashPlace  = regexp.MustCompile(`/gonb_[0-9a-f]+/main(?:_test)?\.go:(\d+)`)
	repanicked  = regexp.MustCompile(` \[recovered(, repanicked)?\]$`)
)

// crashReply returns the error for a panic: its message, and the frames that
// are lines of cells.
func crashReply(text string, g *program) jupyter.ErrorReply {
	text = process.Plain(text)
	message, stack, _ := strings.Cut(text, "\ngoroutine ")
	message, _, _ = strings.Cut(message, "\nruntime stack:")

	t, name := problem{stack: true}, ""

	for line := range strings.SplitSeq(message, "\n") {
		line = repanicked.ReplaceAllString(strings.TrimSpace(line), "")
		kind, what, _ := strings.Cut(line+" ", ": ")
		what = strings.TrimSpace(what)
		switch {
		case line == "" || strings.HasPrefix(line, "[signal ") || kind == "runtime":
		case kind != "panic" && kind != "fatal error": // a message of several lines
			t.more = append(t.more, "  "+line)
		default:
			if name != "" && t.what != what { // raised while the other panic was being handled
				t.more = append(t.more, "  after "+name+": "+t.what)
			}
			name, t.what = kind, what
		}
	}

	stack, _, _ = strings.Cut(stack, "\n\n") // the stack of the goroutine that failed
	t.where = frames(stack, g)
	if library := panicSource(stack); library != "" && len(t.where) > 0 {
		t.more = append(t.more, "  in "+library+", called from")
	}

	for _, s := range t.where {
		if strings.HasPrefix(s.in, "init_") {
			t.hint = s.in + " runs at the start of every cell; %rm " + s.in + " ends that"
		}
	}

	return errorReply(name, g.cell, []problem{t})
}

// frames returns the frames of a stack that are lines of cells, innermost
// first. It adds the line that started the goroutine if that is a different
// line.
func frames(stack string, g *program) []spot {
	var list []spot
	lines := strings.Split(stack, "\n")
	for i, line := range lines {

		match := crashPlace.FindStringSubmatch(line)
		if match == nil || i == 0 {
			continue
		}

		number, _ := strconv.Atoi(match[1])
		caller, ok := g.placeOf(number, 0)
		if !ok {
			continue
		}

		if n := len(list); strings.HasPrefix(lines[i-1], "created by ") && n > 0 && list[n-1].from == caller.from && list[n-1].line == caller.line {
			continue
		}
		list = append(list, spot{caller, frameFunction(lines[i-1], number, g)})
	}
	return list
}

// panicSource returns the library function that panicked. It returns "" if the
// panic came from a cell.
func panicSource(stack string) string {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 { // the first line is "1 [running]:"
		name := functionOf(lines[i])
		switch {
		case crashPlace.MatchString(lines[i+1]) || strings.HasPrefix(name, "main."):
			return ""
		case name == "panic" || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/"):
		default:
			return name
		}
	}
	return ""
}

// functionOf returns the function's name in a line of a stack.
func functionOf(line string) string {
	name := strings.TrimPrefix(line, "created by ")
	if end := strings.LastIndexByte(name, '('); end > 0 && strings.HasSuffix(strings.TrimSpace(name), ")") {
		name = name[:end]
	}
	name, _, _ = strings.Cut(name, " in goroutine ")
	return name
}

// frameFunction returns the name of a stack frame's function as the user wrote
// it in the cell. It returns "" for the body of the cell.
func frameFunction(line string, number int, g *program) string {
	name := strings.TrimPrefix(functionOf(line), "main.")
	switch {
	case name == "main":
		return ""
	case strings.HasPrefix(name, "main.func"):
		return "a function of the body"
	case strings.HasPrefix(name, "init."):
		return g.functionAt(number)
	}
	return name
}

var (
	undefined  = regexp.MustCompile(`^undefined: (\w+)$`)
	redeclared = regexp.MustCompile(`^(?:method )?(\w+)(?:\.\w+)? (?:redeclared|already declared)`)
	unused     = regexp.MustCompile(`^declared and not used: (\w+)$`)
	notUsed    = regexp.MustCompile(`^"([^"]+)" imported(?: as \w+)? and not used$`)
	missing    = regexp.MustCompile(
		`(?:no required module provides package|cannot find module providing package|module) ([\w./~-]+\.[\w./~-]+)`)
	full   = regexp.MustCompile(`(/[^\s:]+)?: (?:no space left on device|disk quota exceeded)`)
	notStd = regexp.MustCompile(`^package ([\w./-]+) is not in std`)
)

// hint returns a remedy for common mistakes, or "".
func hint(t problem, g *program) string {
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

	if name := g.declarationAt(t); name != "" {
		return "this is remembered from an earlier cell: correct it there and run that cell again, or forget it: %rm " + name
	}
	return ""
}

// undefinedHint returns a remedy for a name that isn't declared, or "".
func undefinedHint(name string, g *program) string {
	if count, ok := g.memory.lost[name]; ok {
		return fmt.Sprintf("%s was set in the body of cell [%d], and values do not outlive their cell: declare it above %%%% (var %s = …; "+
			"what stands behind the = then runs in every later cell), or keep it in a session", name, count, name)
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

	if near := phrase.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// declarationAt returns the name, for %rm, of the earlier cell's declaration
// that contains an error. It returns "" if the error isn't in one.
func (p *program) declarationAt(t problem) string {
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

// importHint returns the remedy for an unused dot import, because goimports
// doesn't remove those.
func importHint(path string, t problem, g *program) string {
	if len(t.where) == 1 && t.where[0].from.count == g.cell.count {
		return "use it or remove it"
	}
	return fmt.Sprintf("an import of all names is remembered, and must be used in every cell: %%rm .~%s forgets it", path)
}
