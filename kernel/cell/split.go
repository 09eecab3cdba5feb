package cell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prefix begins a %fsnet line.
const Prefix = "%fsnet"

// IsMagic reports whether a line is FsNet's.
func IsMagic(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), Prefix)
	return ok && (rest == "" || rest == "?" || unicode.IsSpace([]rune(rest)[0]))
}

// Magic is a %fsnet line, as one with those that it goes on in.
type Magic struct {
	Text        string
	First, Last int // its lines, from 0
}

// Part is a stretch of a cell: %fsnet lines, and the Go code behind them as far as the next ones. Only the first may have no lines.
type Part struct {
	Magics []Magic
	Go     Code // none where only blank and comment lines follow
}

// Code is Go code that stands in a cell below so many lines. It has blank lines in their place when it is asked for as a text, and not
// before: those of all parts of a long cell at once would take its lines times its parts.
type Code struct {
	above int
	text  string
}

// String is the code with blank lines above it, so that its line numbers are the cell's; "" where there is none.
func (c Code) String() string {
	if c.text == "" {
		return ""
	}
	return strings.Repeat("\n", c.above) + c.text
}

// IsBlank says that there is nothing to run.
func (c Code) IsBlank() bool { return strings.TrimSpace(c.text) == "" }

// Split takes a cell apart at its %fsnet lines; one inside a raw string or a comment is text. Go code has blank lines in place of all that
// stands above it, so that its line numbers are the cell's, and each stretch of it is a program of its own: a %% above a %fsnet line holds
// below it, too.
func Split(code string) (parts []Part) {
	lines := strings.Split(code, "\n")
	magics := find(lines)
	if len(magics) == 0 {
		return []Part{{Go: Code{text: code}}}
	}
	body := ""
	stretch := func(from, to int) Code {
		for _, line := range lines[from:to] {
			if text := strings.TrimSpace(line); text == "" || strings.HasPrefix(text, "//") {
				continue
			}
			c := Code{from, strings.Join(lines[from:to], "\n")}
			if at := slices.Index(kinds(lines[from:to]), begin); at >= 0 {
				body = lines[from+at]
			} else if from > 0 {
				c = Code{from - 1, body + "\n" + c.text}
			}
			return c
		}
		return Code{}
	}
	if first := stretch(0, magics[0].First); first.text != "" {
		parts = append(parts, Part{Go: first})
	}
	var list []Magic
	for i, m := range magics {
		end := len(lines)
		if i+1 < len(magics) {
			end = magics[i+1].First
		}
		list = append(list, m)
		if code := stretch(m.Last+1, end); code.text != "" || i+1 == len(magics) {
			parts, list = append(parts, Part{list, code}), nil
		}
	}
	return parts
}

// Blank is a cell with its %fsnet lines blanked out, rune by rune, so that every offset stays what it was.
func Blank(code string) string {
	lines := strings.Split(code, "\n")
	for _, m := range find(lines) {
		for i := m.First; i <= m.Last; i++ {
			lines[i] = strings.Repeat(" ", utf8.RuneCountInString(lines[i]))
		}
	}
	return strings.Join(lines, "\n")
}

// find finds the %fsnet lines of a cell.
func find(lines []string) (magics []Magic) {
	if isScript(lines[0]) {
		return nil
	}
	open := literal("")
	for at := 0; at < len(lines); at++ {
		switch {
		case open != "" || !IsMagic(lines[at]) && !isCommand(lines[at]):
			open = open.after(lines[at])
		case IsMagic(lines[at]):
			m := Magic{Text: lines[at], First: at}
			for ; at+1 < len(lines) && Continues(m.Text); at++ {
				m.Text = Join(m.Text, lines[at+1])
			}
			m.Last = at
			magics = append(magics, m)
		default:
			for ; at+1 < len(lines) && goesOn(lines[at]); at++ {
			}
		}
	}
	return magics
}

// Continues reports whether a line goes on in the next one: it ends in a backslash.
func Continues(line string) bool { return strings.HasSuffix(strings.TrimRight(line, " \t\r"), `\`) }

// Join is a line that goes on and the next one as one. The backslash and the spaces around it count for one space, so that words stay
// words.
func Join(line, next string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, " \t\r"), `\`), " \t") + " " + strings.TrimLeft(next, " \t")
}
