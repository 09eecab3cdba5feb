package gonb

import (
	"fmt"
	"slices"
	"strings"
)

// most is how many errors, or frames of a stack, are shown.
const most = 6

// trouble is one thing that is wrong, at a place of a cell where it has one.
type trouble struct {
	what  string
	more  []string // lines that explain it
	hint  string
	where []spot
	stack bool // where are frames, the innermost first
}

// spot is a place with the function it is in, "" for a cell's body.
type spot struct {
	place
	in string
}

// name says where a place is, as a person finds it: lines count from 1, the cell is named where it is another one.
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

// quote shows the line, marked where the column is known.
func (p place) quote() string {
	line := strings.ReplaceAll(p.from.cell[p.line], "\t", " ") // so that the mark counts as the column does
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

// reply makes the one error of a cell.
func reply(name string, cell *source, found []trouble) Reply {
	r := Reply{Name: name}
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

// quotes are the lines that a trouble is about. A function that calls itself is shown once.
func quotes(cell *source, t trouble) []string {
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
