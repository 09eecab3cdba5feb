package gonb

import "strings"

// composed is a cell as GoNB writes it into a Go file before it looks for declarations: without the lines that are not Go.
type composed struct {
	text  string
	lines []int // of the cell, from 0, for each line of the text; −1 where GoNB put it in
}

// compose does what GoNB does.
func compose(code string) composed {
	cell := strings.Split(code, "\n")
	special := specialLines(cell)
	out := composed{}
	var text strings.Builder
	put := func(at int, lines ...string) {
		for _, line := range lines {
			text.WriteString(line + "\n")
			out.lines = append(out.lines, at)
		}
	}
	put(-1, "package main", "")
	if !isGo(cell[0]) {
		out.text = text.String()
		return out
	}
	open := false
	for i, line := range cell {
		switch word, rest := firstWord(withoutMark(line)); {
		case word == "%%" || strings.HasPrefix(word, "%main"):
			put(i, openMain, "\tflag.Parse()")
			open = true
		case strings.HasPrefix(word, "%exec"):
			name, _ := firstWord(rest)
			put(i, openMain, "\tflag.Parse()", "\t"+name+"()", "}")
		case special[i], strings.HasPrefix(line, "package"):
		default:
			put(i, line)
		}
	}
	if open {
		put(-1, "", "}")
	}
	out.text = text.String()
	return out
}

// specialLines are the lines that GoNB takes for commands, with those that a backslash joins to them.
func specialLines(cell []string) map[int]bool {
	special := map[int]bool{}
	for i, line := range cell {
		if line = withoutMark(line); special[i] || len(line) < 2 || (line[0] != '%' && line[0] != '!') {
			continue
		}
		special[i] = true
		for ; i+1 < len(cell) && strings.HasSuffix(cell[i], `\`); i++ {
			special[i+1] = true
		}
	}
	return special
}

func firstWord(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return word, strings.TrimSpace(rest)
}
