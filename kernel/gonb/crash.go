package gonb

import (
	"regexp"
	"strconv"
	"strings"

	"fsnetlab/kernel/internal/process"
)

var (
	crashBegins = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: goroutine stack exceeds )`)
	crashPlace  = regexp.MustCompile(`/gonb_[0-9a-f]+/main(?:_test)?\.go:(\d+)`)
	repanicked  = regexp.MustCompile(` \[recovered(, repanicked)?\]$`)
)

// crash tells of a Go program's last words what concerns its author: the message, and those frames that are lines of cells.
func crash(text string, g *generated) Reply {
	text = process.Plain(text)
	message, stack, _ := strings.Cut(text, "\ngoroutine ")
	message, _, _ = strings.Cut(message, "\nruntime stack:")
	t, name := trouble{stack: true}, ""
	for line := range strings.SplitSeq(message, "\n") {
		line = repanicked.ReplaceAllString(strings.TrimSpace(line), "")
		kind, what, _ := strings.Cut(line+" ", ": ")
		what = strings.TrimSpace(what)
		switch {
		case line == "" || strings.HasPrefix(line, "[signal ") || kind == "runtime":
		case kind != "panic" && kind != "fatal error": // a message of several lines
			t.more = append(t.more, "  "+line)
		default:
			if name != "" && t.what != what { // raised while that one was being handled
				t.more = append(t.more, "  after "+name+": "+t.what)
			}
			name, t.what = kind, what
		}
	}
	stack, _, _ = strings.Cut(stack, "\n\n") // the goroutine that failed
	t.where = frames(stack, g)
	if library := raisedIn(stack); library != "" && len(t.where) > 0 {
		t.more = append(t.more, "  in "+library+", called from")
	}
	for _, s := range t.where {
		if strings.HasPrefix(s.in, "init_") {
			t.hint = s.in + " runs at the start of every cell; %rm " + s.in + " ends that"
		}
	}
	return reply(name, g.cell, []trouble{t})
}

// frames are those of a stack that are lines of cells, the innermost first. Where a goroutine was started counts if it is another line.
func frames(stack string, g *generated) []spot {
	var list []spot
	lines := strings.Split(stack, "\n")
	for i, line := range lines {
		match := crashPlace.FindStringSubmatch(line)
		if match == nil || i == 0 {
			continue
		}
		number, _ := strconv.Atoi(match[1])
		at, ok := g.at(number, 0)
		if !ok {
			continue
		}
		if n := len(list); strings.HasPrefix(lines[i-1], "created by ") && n > 0 && list[n-1].from == at.from && list[n-1].line == at.line {
			continue
		}
		list = append(list, spot{at, frameFunction(lines[i-1], number, g)})
	}
	return list
}

// raisedIn is the function of a library in which a panic was raised, "" where that was a line of a cell.
func raisedIn(stack string) string {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 { // the first is "1 [running]:"
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

// functionOf is the name in a line of a stack.
func functionOf(line string) string {
	name := strings.TrimPrefix(line, "created by ")
	if end := strings.LastIndexByte(name, '('); end > 0 && strings.HasSuffix(strings.TrimSpace(name), ")") {
		name = name[:end]
	}
	name, _, _ = strings.Cut(name, " in goroutine ")
	return name
}

// frameFunction is the function of a frame by the name in its cell; "" for the body.
func frameFunction(line string, number int, g *generated) string {
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
