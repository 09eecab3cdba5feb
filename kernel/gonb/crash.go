package gonb

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	crashBegins = regexp.MustCompile(`(?m)^(panic: |fatal error: )`)
	crashPlace  = regexp.MustCompile(`/gonb_[0-9a-f]+/main(?:_test)?\.go:(\d+)`)
	repanicked  = regexp.MustCompile(` \[recovered(, repanicked)?\]$`)
	// logPlace is a line of the program, as GoNB points it out in what a cell writes.
	logPlace = regexp.MustCompile(`\s?\x1b\[7m\[\[ Cell (\[\d+\] )?Line (\d+) \]\]\x1b\[0m \S*/gonb_[0-9a-f]+/main(?:_test)?\.go:\d+`)
)

// crash tells of a Go program's last words what concerns its author: the message, and those frames that are lines of cells.
func crash(text string, g *generated) Reply {
	text = escapes.ReplaceAllString(text, "")
	message, stack, _ := strings.Cut(text, "\ngoroutine ")
	lines := strings.Split(strings.TrimSpace(message), "\n")
	name, what, _ := strings.Cut(lines[0], ": ")
	t := trouble{what: repanicked.ReplaceAllString(what, "")}
	for _, line := range lines[1:] {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "[signal "):
		case strings.HasPrefix(strings.TrimSpace(line), "panic: "): // raised while that one was being handled
			t.what = repanicked.ReplaceAllString(strings.TrimPrefix(strings.TrimSpace(line), "panic: "), "")
		default:
			t.more = append(t.more, "  "+strings.TrimSpace(line))
		}
	}
	stack, _, _ = strings.Cut(stack, "\n\n") // the goroutine that failed
	t.where = frames(stack, g)
	for _, s := range t.where {
		if strings.HasPrefix(s.in, "init_") {
			t.hint = s.in + " runs at the start of every cell; %rm " + s.in + " ends that"
		}
	}
	return reply(name, g.cell, []trouble{t})
}

// frames are those of a stack that are lines of cells, the innermost first.
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
		list = append(list, spot{at, frameFunction(lines[i-1], number, g)})
	}
	return list
}

// frameFunction is the function of a frame by the name in its cell; "" for the body.
func frameFunction(line string, number int, g *generated) string {
	name := strings.TrimPrefix(line, "created by ")
	if end := strings.LastIndexByte(name, '('); end > 0 && strings.HasSuffix(strings.TrimSpace(name), ")") {
		name = name[:end]
	}
	name, _, _ = strings.Cut(name, " in goroutine ")
	name = strings.TrimPrefix(name, "main.")
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
